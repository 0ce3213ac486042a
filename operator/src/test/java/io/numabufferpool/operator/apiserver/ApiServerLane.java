package io.numabufferpool.operator.apiserver;

import static org.junit.jupiter.api.Assertions.fail;

import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubeapitest.cert.CertManager;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The lane apiserver: one real kube-apiserver with etcd for all tests of this module, with the CRDs installed. Nothing
 * else of a cluster is there: no kubelet, no controller manager, no garbage collector.
 */
public final class ApiServerLane implements ExecutionCondition, BeforeAllCallback {
    private static final String VERSION = "1.36.3";
    private static final String MISSING = "lane apiserver: KUBE_API_TEST_DIR is not set; it names the folder with k8s/"
            + VERSION + "-linux-amd64/{kube-apiserver,etcd}";
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(ApiServerLane.class);

    private static ApiServerLane.Server server;

    private record Server(KubeAPIServer process, String kubeConfig) implements AutoCloseable {
        @Override
        public void close() {
            process.stop();
        }
    }

    /** Skips by name where the lane cannot run, unless it was asked for: then {@link #beforeAll} fails. */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return folder().isEmpty() && !Boolean.getBoolean("numapool.lanes.required")
                ? ConditionEvaluationResult.disabled(MISSING)
                : ConditionEvaluationResult.enabled("the API server's folder is known");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        var folder = folder();
        if (folder.isEmpty()) {
            fail(MISSING);
        }
        server = context.getRoot().getStore(STORE).computeIfAbsent("server", key -> start(folder), Server.class);
    }

    private static String folder() {
        var folder = System.getenv("KUBE_API_TEST_DIR");
        return folder == null ? "" : folder;
    }

    private static Server start(String folder) {
        var config = KubeAPIServerConfigBuilder.anAPIServerConfig()
                .withTestDir(folder)
                .withApiServerVersion(VERSION)
                .withStartupTimeout(120_000)
                .build();
        var process = new KubeAPIServer(config);
        process.start();
        var started = new Server(process, process.getKubeConfigYaml());
        try {
            installCrds(started);
            return started;
        } catch (RuntimeException e) {
            // Nobody else would: the store has not got it yet.
            started.close();
            throw e;
        }
    }

    private static void installCrds(Server started) {
        try (var admin = client(config(started))) {
            for (var crd : List.of("numabufferpools", "numaplacements")) {
                var file = root().resolve("crds/" + crd + ".numabufferpool.io-v1.yaml");
                admin.load(Files.newInputStream(file)).serverSideApply();
            }
            for (var crd : List.of("numabufferpools", "numaplacements")) {
                admin.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName(crd + ".numabufferpool.io")
                        .waitUntilCondition(
                                found -> found != null
                                        && found.getStatus() != null
                                        && found.getStatus().getConditions() != null
                                        && found.getStatus().getConditions().stream()
                                                .anyMatch(condition -> condition
                                                                .getType()
                                                                .equals("Established")
                                                        && condition.getStatus().equals("True")),
                                30,
                                java.util.concurrent.TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder of the parent pom. */
    static Path root() {
        return Path.of(System.getProperty("numapool.root"));
    }

    /** A client that may do everything. */
    public static KubernetesClient admin() {
        return client(config(server));
    }

    /** A client that may do what this service account may do. */
    public static KubernetesClient asServiceAccount(String namespace, String name) {
        var config = config(server);
        config.setImpersonateUsername("system:serviceaccount:" + namespace + ":" + name);
        config.setImpersonateGroups(
                "system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated");
        return client(config);
    }

    /** The key that service account tokens are signed with. */
    static Path tokenSigningKey() {
        return Path.of(new CertManager(folder()).getAPIServerKeyPath());
    }

    static String kubeConfig() {
        return server.kubeConfig();
    }

    private static Config config(Server server) {
        return Config.fromKubeconfig(server.kubeConfig());
    }

    private static KubernetesClient client(Config config) {
        return new KubernetesClientBuilder().withConfig(config).build();
    }
}
