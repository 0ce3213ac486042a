package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaPlacement;
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
    private static UserNamespace namespace;
    private static String node;

    @BeforeAll
    static void makePool(Cluster cluster) {
        namespace = new UserNamespace(cluster, "lifecycle");
        node = cluster.plainKubeNode();
        namespace.apply("pool.yaml", Map.of("pool", "orders", "spec", "{size: 16Mi}"));
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
    void theSidecarIsUpgradedUnderARunningClient() {
        namespace.apply("shop.yaml", Map.of("name", "upgraded", "pool", "orders", "node", node));
        var pod = namespace.podOf("upgraded").getMetadata().getName();
        namespace.awaitReady(pod);
        var before = namespace.placement(pod).getStatus();
        var probe = Probe.in(namespace, pod, "app");

        namespace
                .pods()
                .withName(pod)
                .edit(it -> new PodBuilder(it)
                        .editSpec()
                        .editFirstInitContainer()
                        .withImage(Cluster.SIDECAR_IMAGE_PATCHED)
                        .endInitContainer()
                        .endSpec()
                        .build());
        UserNamespace.awaiting("the sidecar of the new image")
                .until(() ->
                        UserNamespace.container(namespace.pods().withName(pod).get(), "numa-buffer-pool")
                                        .getRestartCount()
                                == 1);
        namespace.awaitReady(pod);

        var after = namespace.pods().withName(pod).get();
        assertThat(UserNamespace.container(after, "app").getRestartCount()).isZero();
        assertThat(UserNamespace.container(after, "exporter").getRestartCount()).isZero();
        UserNamespace.awaiting("a report of the new sidecar")
                .until(() -> namespace.placement(pod).getStatus().sequence() != before.sequence());
        assertThat(namespace.placement(pod).getStatus().generation()).isEqualTo(before.generation());
        assertThat(Probe.in(namespace, pod, "app")).isEqualTo(probe);
    }
}
