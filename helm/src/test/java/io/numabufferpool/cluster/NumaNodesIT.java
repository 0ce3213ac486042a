package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A Kubernetes node with four NUMA nodes and the static CPU and memory managers. The tests go on from each other's pods: on
 * an emulated node every start costs half a minute.
 */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NumaNodesIT {
    private static final long MIB = 1L << 20;

    /** Two CPUs of one NUMA node, exclusively. */
    private static final String GUARANTEED = "{limits: {cpu: '2', memory: 32Mi}}";

    private static final String BURSTABLE = "{requests: {cpu: 10m, memory: 16Mi}}";

    private static UserNamespace namespace;
    private static String node;
    private static String shop;

    @BeforeAll
    static void startShop(Cluster cluster) {
        namespace = new UserNamespace(cluster, "numa");
        node = cluster.numaKubeNode();
        namespace.apply("pool.yaml", Map.of("pool", "orders", "spec", "{size: 32Mi, maxSize: 64Mi}"));
        namespace.awaitCa();
        namespace.apply("shop.yaml", Map.of("name", "shop", "pool", "orders", "node", node));
        shop = namespace.podOf("shop").getMetadata().getName();
        namespace.awaitReady(shop);
    }

    @AfterAll
    static void leave() {
        namespace.closeAndWait();
    }

    @Test
    @Order(1)
    void aBurstablePodsPoolLiesInEqualSharesOnAllNodes() {
        var placement = namespace.placement(shop);
        var usage = placement.getStatus().numaNodes();

        assertThat(placement.getSpec().decision().numaNodes()).isEqualTo("0-3");
        assertThat(Usage.placed(usage)).isEqualTo(Map.of(0, 8 * MIB, 1, 8 * MIB, 2, 8 * MIB, 3, 8 * MIB));
        assertThat(Usage.sum(usage, NumaNodeUsage::spilledBytes)).isZero();
        assertThat(Usage.sum(usage, NumaNodeUsage::hugeBytes)).isEqualTo(32 * MIB);
    }

    @Test
    @Order(2)
    void aPersonSeesItByWaitAndDescribe() throws IOException {
        namespace
                .kubectl("wait", "--for=condition=Ready", "nbp/orders", "--timeout=60s")
                .orThrow();

        var described = namespace.kubectl("describe", "nbp", "orders").orThrow();

        Files.writeString(Path.of("target/describe-nbp.txt"), described);
        assertThat(namespace.condition("orders", ConditionType.PlacementVerified))
                .hasValueSatisfying(condition -> assertThat(condition.status()).isEqualTo("True"));
        assertThat(described).contains("PlacementVerified").contains("8 MiB");
        assertThat(namespace.pool("orders").getStatus().numaNodes())
                .allSatisfy(usage -> assertThat(described).contains(usage.summary()));
    }

    @Test
    @Order(3)
    void aStrangerSeesWhatStatusSaysByteForByte() {
        var probe = Probe.in(namespace, shop, "app");

        assertThat(probe.bytesOnNode())
                .isEqualTo(Usage.placed(namespace.placement(shop).getStatus().numaNodes()));
        assertThat(probe.hugeBytes()).isEqualTo(32 * MIB);
    }

    /** The sidecar asks once a minute, and looks every 10 s whether there is something to do. */
    @Test
    @Order(4)
    void aPoolGrowsAndShrinksUnderItsPod() {
        resize("48Mi");
        awaitShares(12);
        assertThat(Probe.in(namespace, shop, "app").bytesOnNode())
                .isEqualTo(Map.of(0, 12 * MIB, 1, 12 * MIB, 2, 12 * MIB, 3, 12 * MIB));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(namespace.condition("orders", ConditionType.InjectionActive))
                        .as("the pod follows the new generation, so nobody has to restart it")
                        .hasValueSatisfying(
                                condition -> assertThat(condition.reason()).isEqualTo(Reason.InjectionActive.name())));

        resize("32Mi");
        awaitShares(8);
        assertThat(Probe.in(namespace, shop, "app").hugeBytes()).isEqualTo(32 * MIB);
    }

    private static void resize(String size) {
        namespace
                .kubectl("patch", "nbp", "orders", "--type=merge", "-p", "{\"spec\":{\"size\":\"" + size + "\"}}")
                .orThrow();
    }

    private static void awaitShares(long mib) {
        await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> {
            var placement = namespace.placement(shop);
            assertThat(Usage.placed(placement.getStatus().numaNodes()))
                    .isEqualTo(Map.of(0, mib * MIB, 1, mib * MIB, 2, mib * MIB, 3, mib * MIB));
            assertThat(placement.getStatus().phase()).isEqualTo(Phase.Serving);
            assertThat(placement.getSpec().pool().generation())
                    .isEqualTo(namespace.pool("orders").getMetadata().getGeneration());
        });
    }

    @Test
    @Order(5)
    void aGuaranteedPodKeepsItsClassAndItsPoolLiesOnItsNode() {
        namespace.apply(
                "pod.yaml", Map.of("name", "exclusive", "pool", "orders", "node", node, "resources", GUARANTEED));

        var pod = namespace.awaitReady("exclusive");

        assertThat(pod.getStatus().getQosClass()).isEqualTo("Guaranteed");
        var placement = namespace.placement("exclusive");
        var mems = placement.getStatus().observation().memsAllowed();
        assertThat(mems).matches("[0-3]");
        assertThat(placement.getSpec().decision().numaNodes()).isEqualTo(mems);
        assertThat(Usage.placed(placement.getStatus().numaNodes()))
                .isEqualTo(new TreeMap<>(Map.of(Integer.valueOf(mems), 32 * MIB)));
        assertThat(Probe.in(namespace, "exclusive", "app").bytesOnNode())
                .isEqualTo(Usage.placed(placement.getStatus().numaNodes()));
    }

    /** The exclusive pod beside it owns all CPUs of its node: memory is allowed there, and nothing can be placed there. */
    @Test
    @Order(6)
    void aNodeWithoutAReachableCpuIsLeftOutWithItsReason() {
        var owned = namespace.placement("exclusive").getStatus().observation().memsAllowed();
        namespace.apply("pod.yaml", Map.of("name", "beside", "pool", "orders", "node", node, "resources", BURSTABLE));

        namespace.awaitReady("beside");

        var placement = namespace.placement("beside");
        assertThat(placement.getStatus().observation().memsAllowed()).isEqualTo("0-3");
        assertThat(placement.getSpec().decision().dropped()).anySatisfy(dropped -> {
            assertThat(dropped.numaNodes()).isEqualTo(owned);
            assertThat(dropped.reason()).isEqualTo("NumaNodeUnreachable");
        });
        assertThat(Usage.placed(placement.getStatus().numaNodes()))
                .hasSize(3)
                .doesNotContainKey(Integer.valueOf(owned));
    }

    @Test
    @Order(7)
    void aListThatNamesTheUnreachableNodeIsRefusedWithThatReason() {
        var owned = namespace.placement("exclusive").getStatus().observation().memsAllowed();
        namespace.apply(
                "pool.yaml", Map.of("pool", "listed", "spec", "{size: 32Mi, placement: {nodes: \"" + owned + "\"}}"));
        namespace.apply("pod.yaml", Map.of("name", "listed", "pool", "listed", "node", node, "resources", BURSTABLE));

        var condition = namespace.awaitReason("listed", ConditionType.NodeSetResolved, Reason.NumaNodeUnreachable);

        assertThat(condition.status()).isEqualTo("False");
        assertThat(condition.message()).contains("node " + owned);
        assertThat(UserNamespace.container(namespace.pods().withName("listed").get(), "app")
                        .getStarted())
                .isNotEqualTo(true);
    }

    @Test
    @Order(8)
    void allNodesInANarrowedCpusetAreRefusedWithTheNodesItLacks() {
        namespace.apply("pool.yaml", Map.of("pool", "all", "spec", "{size: 32Mi, placement: {nodes: All}}"));
        namespace.apply("pod.yaml", Map.of("name", "all", "pool", "all", "node", node, "resources", GUARANTEED));

        var condition = namespace.awaitReason("all", ConditionType.NodeSetResolved, Reason.NumaNodeNotAllowed);

        assertThat(condition.status()).isEqualTo("False");
        assertThat(condition.message()).contains("Mems_allowed_list").contains("spec.placement.nodes");
    }
}
