package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is shipped, two replicas of it: in profile prod, with a token of its own account, electing a leader. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class PackagedOperatorIT {
    private static final String NAMESPACE = "packaged";
    private static final Path RUNNER = Path.of("target/quarkus-app/quarkus-run.jar");
    private static final Duration START = Duration.ofMinutes(3);

    @TempDir
    Path folder;

    @Test
    void theSecondReplicaTakesOverWhenTheFirstDies() throws Exception {
        assertThat(RUNNER).as("made in phase package").exists();
        try (var admin = ApiServerLane.admin();
                var shop = new Shop("packaged-shop")) {
            RunningOperator.prepare(admin, NAMESPACE);
            var kubeConfig = kubeConfig(admin);
            try (var first = new Replica("op-a", kubeConfig)) {
                first.awaitReady();
                awaitLeader(admin, "op-a");
                try (var second = new Replica("op-b", kubeConfig)) {
                    second.awaitReady();
                    assertThat(second.get("/q/metrics")).contains("jvm_memory_used_bytes");
                    first.kill();

                    awaitLeader(admin, "op-b");
                    shop.createPool("after", "64Mi");
                    shop.awaitPool("after", pool -> pool.getStatus().observedGeneration() == 1);
                    assertThat(second.log()).contains("\"level\":\"INFO\"").doesNotContain("PRIVATE KEY");
                }
            }
        }
    }

    private void awaitLeader(KubernetesClient admin, String name) {
        Awaitility.await("leader " + name).atMost(START).until(() -> {
            var lease = admin.leases()
                    .inNamespace(NAMESPACE)
                    .withName("numa-buffer-pool-operator")
                    .get();
            return lease != null && name.equals(lease.getSpec().getHolderIdentity());
        });
    }

    private Path kubeConfig(KubernetesClient admin) throws IOException {
        var token = admin.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("numa-buffer-pool-operator")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(3600L)
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
        var file = folder.resolve("kubeconfig");
        var server = admin.getConfiguration().getMasterUrl();
        var config = Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Config",
                "current-context",
                "own",
                "clusters",
                java.util.List.of(
                        Map.of("name", "own", "cluster", Map.of("server", server, "insecure-skip-tls-verify", true))),
                "users",
                java.util.List.of(Map.of("name", "own", "user", Map.of("token", token))),
                "contexts",
                java.util.List.of(Map.of("name", "own", "context", Map.of("cluster", "own", "user", "own"))));
        Files.writeString(file, new ObjectMapper().writeValueAsString(config));
        return file;
    }

    /** One process. */
    private final class Replica implements AutoCloseable {
        private final Process process;
        private final Path log;
        private final int port = freePort();

        Replica(String name, Path kubeConfig) throws IOException {
            log = folder.resolve(name + ".log");
            var builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx128m",
                            "-Dquarkus.http.port=" + port,
                            "-jar",
                            RUNNER.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().put("KUBECONFIG", kubeConfig.toString());
            builder.environment().put("POD_NAMESPACE", NAMESPACE);
            builder.environment().put("POD_NAME", name);
            builder.environment().put("NUMAPOOL_REPORT_PORT", Integer.toString(freePort()));
            process = builder.start();
        }

        void awaitReady() {
            Awaitility.await("replica ready")
                    .atMost(START)
                    .ignoreExceptions()
                    .failFast("the replica ended", () -> !process.isAlive())
                    .until(() -> get("/q/health/ready").contains("\"status\": \"UP\""));
        }

        String get(String path) throws IOException, InterruptedException {
            try (var client = HttpClient.newHttpClient()) {
                var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build();
                return client.send(request, HttpResponse.BodyHandlers.ofString())
                        .body();
            }
        }

        String log() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        void kill() throws InterruptedException {
            process.destroyForcibly();
            process.waitFor(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }

        private static int freePort() {
            try (var socket = new ServerSocket(0)) {
                return socket.getLocalPort();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
