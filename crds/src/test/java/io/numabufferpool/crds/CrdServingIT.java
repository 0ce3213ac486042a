package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.placement.PlacementPolicy;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How a real API server stores, prints and guards both kinds. */
@Tag("apiserver")
@ExtendWith(ApiServer.Parameter.class)
class CrdServingIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-12-01T03:00:00.5Z");

    private static ApiServer server;

    @BeforeAll
    static void start(ApiServer started) {
        server = started;
    }

    @Test
    void statusIsWrittenByItsSubresourceOnly() {
        var pools = server.client().resources(NumaBufferPool.class).inNamespace("default");
        var pool = pool("only-by-status");
        pool.setStatus(poolStatus());

        var created = pools.resource(pool).create();
        assertThat(created.getStatus()).isNull();

        created.setStatus(poolStatus());
        created.setSpec(NumaBufferPoolSpec.ofSize("8Gi"));
        var updated = pools.resource(created).updateStatus();
        assertThat(updated.getStatus()).isEqualTo(poolStatus());
        assertThat(updated.getSpec().size()).isEqualTo("4Gi");
        assertThat(updated.getMetadata().getGeneration()).isEqualTo(1);
    }

    @Test
    void kubectlGetPrintsWhatAPersonLooksFor() throws Exception {
        var pools = server.client().resources(NumaBufferPool.class).inNamespace("default");
        var created = pools.resource(pool("printed")).create();
        created.setStatus(poolStatus());
        pools.resource(created).updateStatus();

        var table = table("numabufferpools", "printed");

        assertThat(columns(table)).containsExactly("Name", "Size", "Policy", "Ready Pods", "Placed", "Ready", "Age");
        assertThat(cells(table)).startsWith("printed", "4Gi", "Partitioned", "2/3", "8 GiB", "False");
    }

    @Test
    void aPlacementIsStoredAsTheTypesWriteIt() throws Exception {
        var placements = server.client().resources(NumaPlacement.class).inNamespace("default");
        var placement = placement("db-0");

        var created = placements.resource(placement).create();
        assertThat(created.getSpec()).isEqualTo(placement.getSpec());
        created.setStatus(placementStatus());
        assertThat(placements.resource(created).updateStatus().getStatus()).isEqualTo(placementStatus());

        var table = table("numaplacements", "db-0");
        assertThat(columns(table))
                .containsExactly("Name", "Pool", "NUMA Nodes", "Phase", "Method", "Placed", "Kube Node", "Age");
        assertThat(cells(table)).startsWith("db-0", "orders", "0-1", "Serving", "Mbind", "4 GiB", "worker-1");
    }

    @Test
    void aPlacementWithoutItsPodIsRefused() {
        var placements = server.client().resources(NumaPlacement.class).inNamespace("default");
        var placement = placement("no-pod");
        placement.setSpec(new NumaPlacementSpec(new PoolReference("orders", "u", 1), null, null));

        var refused = catchThrowableOfType(
                KubernetesClientException.class,
                () -> placements.resource(placement).create());

        assertThat(refused).hasMessageContaining("spec.pod: Required value");
    }

    @Test
    void moreRowsThanAnObjectMayHoldAreRefused() {
        var pools = server.client().resources(NumaBufferPool.class).inNamespace("default");
        var created = pools.resource(pool("too-much")).create();
        var pods = IntStream.range(0, NumaBufferPoolStatus.WORST_PODS_MAX + 1)
                .mapToObj(i -> new PodUsage("pod-" + i, null, null, null, null, List.of()))
                .toList();
        created.setStatus(new NumaBufferPoolStatus(1L, null, null, List.of(), pods, List.of()));

        var refused = catchThrowableOfType(
                KubernetesClientException.class, () -> pools.resource(created).updateStatus());

        assertThat(refused).hasMessageContaining("status.worstPods: Too many: 21: must have at most 20 items");
    }

    @Test
    void aConditionTypeStandsOnce() {
        var pools = server.client().resources(NumaBufferPool.class).inNamespace("default");
        var created = pools.resource(pool("twice-ready")).create();
        var ready = Condition.of(ConditionType.Ready, ConditionStatus.True, Reason.AllPodsReady, "", 1L, NOW);
        created.setStatus(new NumaBufferPoolStatus(1L, null, null, List.of(), List.of(), List.of(ready, ready)));

        var refused = catchThrowableOfType(
                KubernetesClientException.class, () -> pools.resource(created).updateStatus());

        assertThat(refused).hasMessageContaining("status.conditions[1]: Duplicate value");
    }

    private static NumaBufferPool pool(String name) {
        var pool = new NumaBufferPool();
        pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
        pool.setSpec(NumaBufferPoolSpec.ofSize("4Gi"));
        return pool;
    }

    private static NumaBufferPoolStatus poolStatus() {
        var usage = NumaNodeUsage.of(0, 4L << 30, 4L << 30, 0, 4L << 30, 524288, 100, 3, 2, 900, 100, 7);
        return new NumaBufferPoolStatus(
                1L,
                PodCounts.of(3, 2, 1),
                "8 GiB",
                List.of(usage),
                List.of(new PodUsage("db-0", "worker-1", Phase.Degraded, "PlacementSpilled", "why", List.of(usage))),
                List.of(Condition.of(
                        ConditionType.Ready, ConditionStatus.False, Reason.PodsDegraded, "1 of 3", 1L, NOW)));
    }

    private static NumaPlacement placement(String name) {
        var placement = new NumaPlacement();
        placement.setMetadata(new ObjectMetaBuilder().withName(name).build());
        var decision = new NumaPlacementDecision(
                PlacementPolicy.Partitioned,
                PlacementMethod.Mbind,
                "0-1",
                List.of(new NumaPlacementDecision.Share(0, 2L << 30), new NumaPlacementDecision.Share(1, 2L << 30)),
                8,
                List.of(new NumaPlacementDecision.Dropped("2-3", "NumaNodeUnreachable", "a sentence")),
                "why",
                DecidedBy.Operator);
        placement.setSpec(new NumaPlacementSpec(
                new PoolReference("orders", "u1", 3), new PodReference("default", name, "u2", "worker-1"), decision));
        return placement;
    }

    private static NumaPlacementStatus placementStatus() {
        var observation = new ObservationStatus(
                List.of(new ObservationStatus.ObservedNode(
                        0,
                        "0-3",
                        16L << 30,
                        8L << 30,
                        List.of(new ObservationStatus.HugePages(2 << 20, 64, 60, 0)),
                        List.of(10),
                        null)),
                "0",
                "0-3",
                true,
                "",
                true,
                "6.12.0",
                5L << 30,
                new ObservationStatus.Clients(2, "0-1", "0"));
        return new NumaPlacementStatus(
                Phase.Serving,
                PlacementMethod.Mbind,
                DecidedBy.Operator,
                "4 GiB",
                "1f",
                7,
                "2026-12-01T03:00:00Z",
                new SidecarStatus("0.1.0", "2026-12-01T02:59:00Z", true, 2, 3),
                observation,
                List.of(NumaNodeUsage.of(0, 4L << 30, 4L << 30, 0, 4L << 30, 524288, 100, 3, 2, 900, 100, 7)),
                List.of(new PartitionUsage(0, 0, 2L << 30, 2L << 30, 262144, 50)),
                List.of(Condition.of(
                        ConditionType.PlacementVerified,
                        ConditionStatus.True,
                        Reason.PlacementVerified,
                        "all of it",
                        1L,
                        NOW)));
    }

    /** What {@code kubectl get} asks for. */
    private static JsonNode table(String plural, String name) throws IOException {
        return JSON.readTree(server.get(
                "/apis/numabufferpool.io/v1alpha1/namespaces/default/" + plural + "/" + name,
                "application/json;as=Table;v=v1;g=meta.k8s.io"));
    }

    private static List<String> columns(JsonNode table) {
        return table.get("columnDefinitions").findValuesAsText("name");
    }

    private static List<String> cells(JsonNode table) {
        var cells = table.at("/rows/0/cells");
        return IntStream.range(0, cells.size())
                .mapToObj(i -> cells.get(i).asText())
                .toList();
    }
}
