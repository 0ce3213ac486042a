package io.numabufferpool.crds;

import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A real API server with etcd and both definitions as they are committed; no controllers, no nodes. */
final class ApiServer implements AutoCloseable {
    /** A definition is served a second after it is created; a busy machine takes longer. */
    private static final Duration ESTABLISHED_WITHIN = Duration.ofSeconds(60);

    /** etcd and the API server need 10 s on a quiet machine. */
    private static final int STARTED_WITHIN_MILLIS = 120_000;

    /** An answer takes milliseconds; a machine that is fully loaded may need longer. */
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(30);

    private static final List<String> DEFINITIONS =
            List.of("numabufferpools.numabufferpool.io-v1.yaml", "numaplacements.numabufferpool.io-v1.yaml");

    private final KubeAPIServer server = new KubeAPIServer(KubeAPIServerConfigBuilder.anAPIServerConfig()
            .withStartupTimeout(STARTED_WITHIN_MILLIS)
            .build());
    private final KubernetesClient client;

    private ApiServer() {
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.getKubeConfigYaml()))
                .build();
        DEFINITIONS.forEach(this::define);
    }

    /**
     * Starts the server at the first test class that asks for it as a parameter; JUnit stops it after the last one. Without its
     * programs a class is skipped by name, or fails where the lane is required.
     */
    static final class Parameter implements ParameterResolver, ExecutionCondition {
        private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(ApiServer.class);

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext extension) {
            var missing = missing();
            if (missing.isEmpty() || Boolean.getBoolean("numapool.lanes.required")) {
                return ConditionEvaluationResult.enabled("lane apiserver");
            }
            System.err.println("SKIPPED " + extension.getDisplayName() + ": " + missing.get());
            return ConditionEvaluationResult.disabled(missing.get());
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext extension) {
            return parameter.getParameter().getType() == ApiServer.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext extension) {
            return extension.getRoot().getStore(STORE).computeIfAbsent(ApiServer.class, _ -> start(), ApiServer.class);
        }
    }

    /** What is missing to start one; empty where nothing is. */
    private static Optional<String> missing() {
        var folder = System.getenv("KUBE_API_TEST_DIR");
        if (folder != null && Files.isDirectory(Path.of(folder, "k8s"))) {
            return Optional.empty();
        }
        return Optional.of("No kube-apiserver: KUBE_API_TEST_DIR is " + folder
                + ", and there is no folder k8s in it. Set it to a folder with k8s/VERSION-linux-amd64/.");
    }

    private static ApiServer start() {
        missing().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        return new ApiServer();
    }

    private void define(String name) {
        try {
            var yaml = Files.readString(Path.of(System.getProperty("numapool.root"), "crds", name));
            var definition = client.getKubernetesSerialization().unmarshal(yaml, CustomResourceDefinition.class);
            var created = client.resource(definition).create();
            Awaitility.await(name)
                    .atMost(ESTABLISHED_WITHIN)
                    .until(() -> client.resource(created).get().getStatus().getConditions().stream()
                            .anyMatch(condition -> condition.getType().equals("Established")
                                    && condition.getStatus().equals("True")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    KubernetesClient client() {
        return client;
    }

    /** Body of {@code POST} to a path. Unknown fields are refused, as kubectl asks for. */
    String post(String path, String body) {
        return client.raw(path + (path.contains("?") ? "&" : "?") + "fieldValidation=Strict", "POST", body);
    }

    /** Body of {@code GET} in that format. */
    String get(String path, String accept) {
        try {
            var http = client.getHttpClient();
            var request = http.newHttpRequestBuilder()
                    .uri(client.getMasterUrl().toString().replaceAll("/$", "") + path)
                    .header("Accept", accept)
                    .build();
            return http.sendAsync(request, String.class)
                    .get(ANSWERED_WITHIN.toSeconds(), TimeUnit.SECONDS)
                    .body();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("GET " + path + " failed", e);
        }
    }

    @Override
    public void close() {
        client.close();
        server.stop();
    }
}
