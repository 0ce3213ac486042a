package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Reason;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Reserved huge pages, enough and too few. Needs at least 40 pages of 2 MiB on each of four NUMA nodes; the first pods take
 * those of node 1, so that the next ones find too few there and nowhere else.
 */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ReservedIT {
    private static final long MIB = 1L << 20;
    private static final String BURSTABLE = "{requests: {cpu: 10m, memory: 16Mi}}";

    /** Pages on each node that the first pod holds; an observation counts its own pages as free. */
    private static final int HELD_BY_ENOUGH = 4;

    /** What is left on node 1 for pods that want eight there. */
    private static final int LEFT = 4;

    private static final String RESERVED = "hugePages: {mode: Reserved, size: 2Mi}";

    private static UserNamespace namespace;
    private static String node;

    @BeforeAll
    static void begin(Cluster cluster) {
        namespace = new UserNamespace(cluster, "reserved");
        node = cluster.numaKubeNode();
    }

    @AfterAll
    static void leave() {
        namespace.close();
    }

    private static void apply(String name, String spec) {
        namespace.apply("pool.yaml", Map.of("pool", name, "spec", spec));
        namespace.apply("pod.yaml", Map.of("name", name, "pool", name, "node", node, "resources", BURSTABLE));
    }

    @Test
    @Order(1)
    void reservedPagesLieInEqualSharesOnAllNodes() {
        apply("enough", "{size: 32Mi, " + RESERVED + "}");

        namespace.awaitReady("enough");

        var usage = namespace.placement("enough").getStatus().numaNodes();
        assertThat(Usage.placed(usage)).isEqualTo(Map.of(0, 8 * MIB, 1, 8 * MIB, 2, 8 * MIB, 3, 8 * MIB));
        assertThat(Usage.sum(usage, NumaNodeUsage::hugeBytes)).isEqualTo(32 * MIB);
        var probe = Probe.in(namespace, "enough", "app");
        assertThat(probe.bytesOnNode()).isEqualTo(Usage.placed(usage));
    }

    @Test
    @Order(2)
    void tooFewOnOneNodeUnderStrictIsACondition() {
        var taken = freePagesOfNode1() - HELD_BY_ENOUGH - LEFT;
        apply("hoard", "{size: " + 2 * taken + "Mi, placement: {nodes: \"1\"}, " + RESERVED + "}");
        namespace.awaitReady("hoard");

        apply("strict", "{size: 64Mi, " + RESERVED + "}");
        var condition = namespace.awaitReason("strict", ConditionType.HugePagesAvailable, Reason.InsufficientHugePages);

        assertThat(condition.status()).isEqualTo("False");
        assertThat(condition.message())
                .contains("NUMA node 1 has 4 free huge pages of 2Mi, its share needs 8. Reserve 4 more on node 1");
        var app = UserNamespace.container(namespace.pods().withName("strict").get(), "app");
        assertThat(app.getStarted()).isNotEqualTo(true);
    }

    @Test
    @Order(3)
    void tooFewOnOneNodeUnderBestEffortStartsAndSaysWhereTheRestLies() {
        apply("spilled", "{size: 64Mi, placement: {enforcement: BestEffort}, " + RESERVED + "}");

        namespace.awaitReady("spilled");

        var usage = namespace.placement("spilled").getStatus().numaNodes();
        assertThat(Usage.sum(usage, NumaNodeUsage::placedBytes)).isEqualTo(64 * MIB);
        assertThat(Usage.sum(usage, NumaNodeUsage::spilledBytes)).isEqualTo(8 * MIB);
        assertThat(Usage.placed(usage)).containsEntry(1, 8 * MIB);
        assertThat(Probe.in(namespace, "spilled", "app").bytesOnNode()).isEqualTo(Usage.placed(usage));
    }

    @Test
    @Order(4)
    void nothingDiedOfAMissingPage() {
        for (var pod : namespace.pods().list().getItems()) {
            assertThat(UserNamespace.container(pod, "numa-buffer-pool")
                            .getLastState()
                            .getTerminated())
                    .as(pod.getMetadata().getName())
                    .satisfiesAnyOf(
                            state -> assertThat(state).isNull(),
                            state -> assertThat(state.getExitCode()).isLessThan(128));
        }
    }

    private static long freePagesOfNode1() {
        return namespace.placement("enough").getStatus().observation().numaNodes().stream()
                .filter(it -> it.numaNode() == 1)
                .flatMap(it -> it.hugePages().stream())
                .filter(it -> it.pageBytes() == 2 * MIB)
                .mapToLong(it -> it.free())
                .findFirst()
                .orElseThrow();
    }
}
