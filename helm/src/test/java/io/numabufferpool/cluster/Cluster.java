package io.numabufferpool.cluster;

import com.marcnuri.helm.Helm;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numabufferpool.chart.Chart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The cluster that {@code KUBECONFIG} names, with our images loaded and the chart installed by Helm: made once for all
 * tests that ask for it as a parameter. It stays as it is afterwards, so that a person can look at it; the next run
 * installs anew.
 */
final class Cluster implements AutoCloseable {
    static final String OPERATOR = "numa-buffer-pool-operator";
    static final String SIDECAR_IMAGE = "localhost/numa-buffer-pool-sidecar:0.1.0";

    /** The same image; Kubernetes sees another one. */
    static final String SIDECAR_IMAGE_PATCHED = "localhost/numa-buffer-pool-sidecar:0.1.0-patched";

    static final String PROBE_IMAGE = "localhost/numa-buffer-pool-probe:test";

    private static final Path SIDECAR_ARCHIVE = Path.of("../sidecar/server/target/numa-buffer-pool-sidecar.tar");
    private static final Path OPERATOR_ARCHIVE = Path.of("../operator/target/numa-buffer-pool-operator.tar");

    /** Emulated nodes unpack an image of 30 MB in half a minute. */
    private static final Duration IMAGE_LOADED_WITHIN = Duration.ofMinutes(5);

    /** A start of a JVM on an emulated node, and a busy one. */
    private static final Duration OPERATOR_READY_WITHIN = Duration.ofMinutes(5);

    private final KubernetesClient client = new KubernetesClientBuilder().build();

    private Cluster() {
        loadImages();
        installChart();
    }

    private void loadImages() {
        try {
            var folder = Files.createDirectories(Path.of("target/images"));
            var sidecar = named(folder, "sidecar", SIDECAR_ARCHIVE);
            ImageArchive.writeWithTag(sidecar, SIDECAR_IMAGE_PATCHED, SIDECAR_ARCHIVE);
            var operator = named(folder, "operator", OPERATOR_ARCHIVE);
            Files.copy(OPERATOR_ARCHIVE, operator, StandardCopyOption.REPLACE_EXISTING);
            var program = compiledProbe(folder.resolve("probe"));
            var probe = named(folder, "probe", program);
            ImageArchive.write(probe, PROBE_IMAGE, program);
            load(sidecar);
            load(probe);
            load(operator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another name for another content: a loader may take a file that it saw before for the same. */
    private static Path named(Path folder, String name, Path content) throws IOException {
        return folder.resolve(name + "-" + Files.getLastModifiedTime(content).toMillis() + ".tar");
    }

    private static Path compiledProbe(Path program) {
        Command.run(
                        Duration.ofMinutes(1),
                        List.of(
                                "cc",
                                "-static",
                                "-O2",
                                "-Wall",
                                "-Wextra",
                                "-Werror",
                                "-o",
                                program.toString(),
                                "src/test/resources/probe/probe.c"))
                .orThrow();
        return program;
    }

    private static void load(Path archive) {
        var command = System.getenv("NUMAPOOL_LOAD_IMAGE") + " \"$1\"";
        Command.run(
                        IMAGE_LOADED_WITHIN,
                        List.of(
                                "sh",
                                "-c",
                                command,
                                "load",
                                archive.toAbsolutePath().toString()))
                .orThrow();
    }

    private void installChart() {
        new Helm(Chart.folder())
                .upgrade()
                .install()
                .withName(Chart.RELEASE)
                .withNamespace(Chart.NAMESPACE)
                .createNamespace()
                .withKubeConfig(Path.of(System.getenv("KUBECONFIG")))
                .call();
        // An image that was loaded under the same tag reaches only new pods.
        client.apps()
                .deployments()
                .inNamespace(Chart.NAMESPACE)
                .withName(OPERATOR)
                .rolling()
                .restart();
        awaitOperators(1);
    }

    KubernetesClient client() {
        return client;
    }

    /** The Kubernetes node with several NUMA nodes. */
    String numaKubeNode() {
        return System.getenv("NUMAPOOL_NUMA_KUBE_NODE");
    }

    /** Another one if there is another, so that the slow one is spared. */
    String plainKubeNode() {
        return client.nodes().list().getItems().stream()
                .map(node -> node.getMetadata().getName())
                .filter(name -> !name.equals(numaKubeNode()))
                .findFirst()
                .orElseGet(this::numaKubeNode);
    }

    /** Else by a policy of the API server. */
    boolean injectsByWebhook() {
        return client.admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("numa-buffer-pool-injection")
                        .get()
                != null;
    }

    void scaleOperator(int replicas) {
        client.apps()
                .deployments()
                .inNamespace(Chart.NAMESPACE)
                .withName(OPERATOR)
                .scale(replicas);
        awaitOperators(replicas);
    }

    private void awaitOperators(int replicas) {
        Awaitility.await(replicas + " operators")
                .atMost(OPERATOR_READY_WITHIN)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> operatorsAre(replicas));
    }

    /** As {@code kubectl rollout status}: a pod of before that still runs does not count, one that ends has ended. */
    private boolean operatorsAre(int replicas) {
        var deployment = client.apps()
                .deployments()
                .inNamespace(Chart.NAMESPACE)
                .withName(OPERATOR)
                .get();
        var status = deployment.getStatus();
        var pods = client.pods()
                .inNamespace(Chart.NAMESPACE)
                .withLabel("app.kubernetes.io/name", OPERATOR)
                .list()
                .getItems();
        return deployment.getMetadata().getGeneration().equals(status.getObservedGeneration())
                && Stream.of(status.getReplicas(), status.getUpdatedReplicas(), status.getReadyReplicas())
                        .allMatch(count -> Optional.ofNullable(count).orElse(0) == replicas)
                && pods.size() == replicas;
    }

    @Override
    public void close() {
        client.close();
    }

    /** What this lane needs and this machine lacks, in a sentence; null: nothing. */
    static @Nullable String missing() {
        for (var variable : List.of("KUBECONFIG", "NUMAPOOL_LOAD_IMAGE", "NUMAPOOL_NUMA_KUBE_NODE")) {
            if (System.getenv(variable) == null) {
                return "the cluster lane needs the environment variable " + variable;
            }
        }
        for (var archive : List.of(SIDECAR_ARCHIVE, OPERATOR_ARCHIVE)) {
            if (!Files.exists(archive)) {
                return "the cluster lane needs " + archive + ": build with -Pimages";
            }
        }
        return null;
    }

    /** Makes the cluster ready at the first test that wants it. Where it cannot be, says so once and for every test. */
    static final class Parameter implements ParameterResolver {
        private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(Cluster.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext extension) {
            return parameter.getParameter().getType() == Cluster.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext extension) {
            var missing = missing();
            if (missing != null && !Boolean.getBoolean("numapool.lanes.required")) {
                Assumptions.abort(missing);
            }
            return extension
                    .getRoot()
                    .getStore(STORE)
                    .computeIfAbsent(Start.class, type -> Start.tried(missing), Start.class)
                    .cluster();
        }
    }

    /** Tried once: where the cluster does not get ready, every test says why at once. */
    private record Start(@Nullable Cluster made, @Nullable RuntimeException failure) implements AutoCloseable {
        static Start tried(@Nullable String missing) {
            try {
                if (missing != null) {
                    throw new IllegalStateException(missing);
                }
                return new Start(new Cluster(), null);
            } catch (RuntimeException e) {
                return new Start(null, e);
            }
        }

        Cluster cluster() {
            if (made == null) {
                throw new IllegalStateException("no cluster with the chart on it", failure);
            }
            return made;
        }

        @Override
        public void close() {
            if (made != null) {
                made.close();
            }
        }
    }
}
