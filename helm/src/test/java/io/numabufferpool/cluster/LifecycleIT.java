package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What comes in an unusual order, and what changes under running pods. */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
final class LifecycleIT {
    /** Three times the pool. */
    private static final String FILE_BYTES = String.valueOf(48 << 20);

    /** Longer than a sidecar needs to be replaced: its image is there, it ends within a second. */
    private static final String READING_SECONDS = "90";

    private static UserNamespace namespace;
    private static String node;

    @BeforeAll
    static void makePool(Cluster cluster) {
        namespace = new UserNamespace(cluster, "lifecycle");
        node = cluster.plainKubeNode();
        namespace.apply("pool.yaml", Map.of("pool", "orders", "spec", "{size: 16Mi}"));
        namespace.awaitCa();
    }

    @AfterAll
    static void leave() {
        namespace.close();
    }

    @Test
    void aPodThatCameBeforeItsPoolIsDeniedAndComesByItself(Cluster cluster) {
        namespace.apply("shop.yaml", Map.of("name", "early", "pool", "late", "node", node));
        UserNamespace.awaiting("the refusal as an event")
                .until(() -> cluster.client().v1().events().inNamespace(namespace.name()).list().getItems().stream()
                        .anyMatch(event -> "FailedCreate".equals(event.getReason())
                                && event.getMessage()
                                        .contains(
                                                "pod asks for NumaBufferPool \"late\", and namespace \"lifecycle\" has"
                                                        + " none of that name")));
        assertThat(namespace.pods().withLabel("app", "early").list().getItems()).isEmpty();

        namespace.apply("pool.yaml", Map.of("pool", "late", "spec", "{size: 16Mi}"));

        var pod = namespace.podOf("early");
        assertThat(pod.getSpec().getInitContainers().getFirst().getName()).isEqualTo("numa-buffer-pool");
        namespace.awaitReady(pod.getMetadata().getName());
    }

    @Test
    void withoutTheOperatorAPodStartsAndDecidesItself(Cluster cluster) {
        assumeFalse(cluster.injectsByWebhook(), "injection is a webhook here: such a pod waits for the operator");
        cluster.scaleOperator(0);
        try {
            namespace.apply("shop.yaml", Map.of("name", "alone", "pool", "orders", "node", node));
            var pod = namespace.podOf("alone").getMetadata().getName();
            namespace.awaitReady(pod);

            assertThat(namespace.sidecarLog(pod)).contains("\"decidedBy\":\"Sidecar\"");
            assertThat(decisionTook(namespace.sidecarLog(pod))).isLessThanOrEqualTo(Duration.ofSeconds(11));
        } finally {
            cluster.scaleOperator(1);
        }

        var pod = namespace.podOf("alone").getMetadata().getName();
        UserNamespace.awaiting("status of the pod that started alone")
                .until(() -> decidedBy(cluster, pod) == DecidedBy.Sidecar);
    }

    @Test
    void withoutTheOperatorAWebhookHoldsBackPodsThatAskForAPoolAndNoOthers(Cluster cluster) {
        assumeTrue(cluster.injectsByWebhook(), "injection is a policy of the API server here");
        cluster.scaleOperator(0);
        try {
            namespace.apply("shop.yaml", Map.of("name", "held", "pool", "orders", "node", node));
            namespace.apply("plain.yaml", Map.of("name", "free", "node", node));

            namespace.awaitReady("free");
            UserNamespace.awaiting("the refusal as an event")
                    .until(() -> cluster.client().v1().events().inNamespace(namespace.name()).list().getItems().stream()
                            .anyMatch(event -> "FailedCreate".equals(event.getReason())
                                    && event.getMessage().contains("injection.numabufferpool.io")));
            assertThat(namespace.pods().withLabel("app", "held").list().getItems())
                    .isEmpty();
        } finally {
            cluster.scaleOperator(1);
        }

        namespace.awaitReady(namespace.podOf("held").getMetadata().getName());
    }

    private static DecidedBy decidedBy(Cluster cluster, String pod) {
        var placement = cluster.client()
                .resources(NumaPlacement.class)
                .inNamespace(namespace.name())
                .withName(pod)
                .get();
        return placement == null || placement.getStatus() == null
                ? null
                : placement.getStatus().decidedBy();
    }

    /** From the phase Deciding to the decision, by the sidecar's own clock. */
    private static Duration decisionTook(String log) {
        return Duration.between(time(log, "\"phase\":\"Deciding\""), time(log, "\"message\":\"placement decided\""));
    }

    private static Instant time(String log, String words) {
        var line = log.lines().filter(it -> it.contains(words)).findFirst().orElseThrow();
        return Instant.parse(line.replaceFirst(".*\"time\":\"([^\"]+)\".*", "$1"));
    }

    @Test
    void theSidecarIsUpgradedUnderClientsThatReadAllTheTime(Cluster cluster) {
        namespace.apply(
                "readers.yaml",
                Map.of(
                        "name",
                        "upgraded",
                        "pool",
                        "orders",
                        "node",
                        node,
                        "bytes",
                        FILE_BYTES,
                        "seconds",
                        READING_SECONDS));
        namespace.awaitReady("upgraded");
        var before = awaitServing("upgraded");
        var probe = Probe.in(namespace, "upgraded", "keeper");

        namespace
                .pods()
                .withName("upgraded")
                .edit(it -> new PodBuilder(it)
                        .editSpec()
                        .editFirstInitContainer()
                        .withImage(Cluster.SIDECAR_IMAGE_PATCHED)
                        .endInitContainer()
                        .endSpec()
                        .build());
        var after = UserNamespace.awaiting("a report of the new sidecar")
                .until(
                        () -> namespace.placement("upgraded").getStatus(),
                        it -> it.sidecar().readopted());

        assertThat(after.sidecar().startedAt()).isGreaterThan(before.sidecar().startedAt());
        assertThat(after.generation()).isEqualTo(before.generation());
        assertThat(after.phase()).isEqualTo(Phase.Serving);
        assertThat(reading("first").getRunning()).as("was read all the time").isNotNull();
        assertThat(Probe.in(namespace, "upgraded", "keeper")).isEqualTo(probe);
        UserNamespace.awaiting("both readers ended")
                .until(() -> reading("first").getTerminated() != null
                        && reading("second").getTerminated() != null);
        assertThat(reading("first").getTerminated().getExitCode())
                .as(log("first"))
                .isZero();
        assertThat(reading("second").getTerminated().getExitCode())
                .as(log("second"))
                .isZero();
        assertThat(restarts("numa-buffer-pool")).isEqualTo(1);
        assertThat(restarts("keeper")).isZero();
        UserNamespace.awaiting("the event of it")
                .until(() -> cluster.client().v1().events().inNamespace(namespace.name()).list().getItems().stream()
                        .anyMatch(event -> "SidecarReadopted".equals(event.getReason())));
    }

    private static NumaPlacementStatus awaitServing(String pod) {
        return UserNamespace.awaiting(pod + " serves")
                .until(() -> namespace.placement(pod).getStatus(), status -> status.phase() == Phase.Serving);
    }

    private static ContainerState reading(String container) {
        return status(container).getState();
    }

    private static int restarts(String container) {
        return status(container).getRestartCount();
    }

    private static ContainerStatus status(String container) {
        return UserNamespace.container(namespace.pods().withName("upgraded").get(), container);
    }

    private static String log(String container) {
        return namespace.pods().withName("upgraded").inContainer(container).getLog();
    }
}
