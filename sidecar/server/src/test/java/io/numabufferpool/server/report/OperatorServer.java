package io.numabufferpool.server.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Something that takes reports over HTTPS, with a certificate of its own; answers what a test tells it to. */
final class OperatorServer implements AutoCloseable {
    private static final String PASSWORD = "for-a-test";
    private static final ObjectMapper JSON = new ObjectMapper();

    final List<JsonNode> reports = new CopyOnWriteArrayList<>();
    final List<String> authorizations = new CopyOnWriteArrayList<>();
    volatile int status = 200;
    volatile String answer = "{}";
    private final HttpsServer server;
    private final byte[] certificate;

    OperatorServer(Path folder) throws Exception {
        var file = folder.resolve("operator-" + System.nanoTime() + ".p12");
        makeKeyPair(file);
        var store = KeyStore.getInstance("PKCS12");
        try (var input = Files.newInputStream(file)) {
            store.load(input, PASSWORD.toCharArray());
        }
        certificate = store.getCertificate("operator").getEncoded();
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        var tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/v1/report", exchange -> {
            reports.add(JSON.readTree(exchange.getRequestBody().readAllBytes()));
            authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
            var body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private static void makeKeyPair(Path file) throws Exception {
        var keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "operator",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=operator",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IllegalStateException("keytool did not make a key pair");
        }
    }

    URI url() {
        return URI.create("https://localhost:" + server.getAddress().getPort());
    }

    /** What the kubelet would mount. */
    void writeCredentials(Path folder, String token) throws IOException {
        var pem = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate)
                + "\n-----END CERTIFICATE-----\n";
        Files.writeString(folder.resolve("ca.crt"), pem);
        Files.writeString(folder.resolve("token"), token + "\n");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
