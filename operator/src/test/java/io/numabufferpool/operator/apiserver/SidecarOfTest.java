package io.numabufferpool.operator.apiserver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import io.numabufferpool.crds.SidecarStatus;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** A sidecar as the operator sees it: a real token, a real TLS connection, reports about a machine of the test's choice. */
final class SidecarOfTest {
    private static final long GIB = 1L << 30;

    private final Shop shop;
    private final Pod pod;
    private final NumaBufferPool pool;
    private final int port;
    private final ObjectMapper json = new ObjectMapper();
    private String token;
    private long sequence;
    private HttpClient client;

    SidecarOfTest(Shop shop, Pod pod, NumaBufferPool pool, RunningOperator operator) {
        this.shop = shop;
        this.pod = pod;
        this.pool = pool;
        this.port = operator.port();
        this.token = token(shop, pod, "numabufferpool.io");
    }

    /** As the kubelet gets it for a projected volume. */
    static String token(Shop shop, Pod pod, String audience) {
        return shop.admin()
                .serviceAccounts()
                .inNamespace(shop.namespace())
                .withName("app")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences(audience)
                        .withExpirationSeconds(3600L)
                        .withNewBoundObjectRef(
                                "v1",
                                "Pod",
                                pod.getMetadata().getName(),
                                pod.getMetadata().getUid())
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }

    /** The API server's own signature under a token that ended a minute ago: waiting would take ten minutes, the shortest life. */
    static String expired(String genuine, Path signingKey) throws IOException, GeneralSecurityException {
        var parts = genuine.split("\\.", -1);
        var mapper = new ObjectMapper();
        var claims = (ObjectNode) mapper.readTree(Base64.getUrlDecoder().decode(parts[1]));
        long end = Instant.now().minusSeconds(60).getEpochSecond();
        claims.put("exp", end).put("iat", end - 3600).put("nbf", end - 3600);
        var text = Base64.getUrlEncoder().withoutPadding();
        var signed = parts[0] + "." + text.encodeToString(mapper.writeValueAsBytes(claims));
        try (var pem = new PEMParser(Files.newBufferedReader(signingKey))) {
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(new JcaPEMKeyConverter()
                    .getKeyPair((PEMKeyPair) pem.readObject())
                    .getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + text.encodeToString(signature.sign());
        }
    }

    SidecarOfTest withToken(String other) {
        token = other;
        return this;
    }

    static ObservationStatus fourNodes(String memsAllowed) {
        var nodes = IntStream.range(0, 4)
                .mapToObj(node -> new ObservationStatus.ObservedNode(
                        node, node + "," + (node + 4), 8 * GIB, 4 * GIB, List.of(), List.of(10, 20, 20, 20), null))
                .toList();
        return new ObservationStatus(nodes, memsAllowed, "0-7", true, "", true, "6.12.0", null, null);
    }

    PlacementReport asking(String memsAllowed) {
        return report(Phase.Deciding, null, memsAllowed, List.of());
    }

    /** All of it where it was decided, with these hits on each node. */
    PlacementReport serving(NumaPlacementDecision decision, String memsAllowed, long hits) {
        var usage = decision.shares().stream()
                .map(share -> NumaNodeUsage.of(
                        share.numaNode(),
                        share.bytes(),
                        share.bytes(),
                        0,
                        share.bytes(),
                        share.bytes() / 8192,
                        10,
                        0,
                        0,
                        hits,
                        10,
                        0))
                .toList();
        return report(Phase.Serving, decision, memsAllowed, usage);
    }

    PlacementReport report(Phase phase, NumaPlacementDecision decision, String memsAllowed, List<NumaNodeUsage> usage) {
        sequence++;
        var generation = decision == null ? null : "00000000cafe0001";
        return new PlacementReport(
                sequence,
                generation,
                new PoolReference(
                        pool.getMetadata().getName(),
                        pool.getMetadata().getUid(),
                        pool.getMetadata().getGeneration()),
                new PodReference(
                        shop.namespace(),
                        pod.getMetadata().getName(),
                        pod.getMetadata().getUid(),
                        "machine-1"),
                decision,
                new NumaPlacementStatus(
                        phase,
                        decision == null ? null : decision.method(),
                        decision == null ? null : decision.decidedBy(),
                        null,
                        generation,
                        sequence,
                        null,
                        new SidecarStatus("0.1.0", "2026-12-01T00:00:00.000Z", false, 0, 0),
                        fourNodes(memsAllowed),
                        usage,
                        List.of(),
                        List.of()));
    }

    HttpResponse<String> send(PlacementReport report) {
        return post(body(report));
    }

    String body(PlacementReport report) {
        try {
            return json.writeValueAsString(report);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    PlacementAnswer answerTo(PlacementReport report) {
        var response = send(report);
        if (response.statusCode() != 200) {
            throw new AssertionError("answered " + response.statusCode() + " " + response.body());
        }
        try {
            return json.readValue(response.body(), PlacementAnswer.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> post(String body) {
        return post("/v1/report", body);
    }

    HttpResponse<String> post(String path, String body) {
        try {
            if (client == null) {
                client = HttpClient.newBuilder()
                        .sslContext(trustingTheConfigMap())
                        .build();
            }
            var request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The CA that a sidecar would have mounted. */
    private SSLContext trustingTheConfigMap() {
        var pem = org.awaitility.Awaitility.await("CA of namespace " + shop.namespace())
                .atMost(java.time.Duration.ofSeconds(30))
                .until(
                        () -> {
                            var map = shop.admin()
                                    .configMaps()
                                    .inNamespace(shop.namespace())
                                    .withName("numa-buffer-pool-ca")
                                    .get();
                            return map == null ? null : map.getData().get("ca.crt");
                        },
                        java.util.Objects::nonNull);
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (var certificate : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
