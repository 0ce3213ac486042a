package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Reason;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Kubernetes node that nobody prepared: no reserved huge pages used, no privilege, Pod Security restricted. */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
final class PlainNodeIT {
    private static final long POOL_BYTES = 64L << 20;

    private static UserNamespace namespace;
    private static String pod;

    @BeforeAll
    static void startShop(Cluster cluster) {
        namespace = new UserNamespace(cluster, "plain");
        namespace.apply("pool.yaml", Map.of("pool", "orders", "spec", "{size: 64Mi}"));
        namespace.apply("pool.yaml", Map.of("pool", "catalog", "spec", "{size: 16Mi, access: ReadOnly}"));
        namespace.awaitCa();
        namespace.apply("shop.yaml", Map.of("name", "shop", "pool", "orders", "node", cluster.plainKubeNode()));
        namespace.apply("shop.yaml", Map.of("name", "reader", "pool", "catalog", "node", cluster.plainKubeNode()));
        pod = namespace.podOf("shop").getMetadata().getName();
        namespace.awaitReady(pod);
    }

    @AfterAll
    static void leave() {
        namespace.close();
    }

    @Test
    void everyByteIsPlacedAndInHugePages() {
        var status = namespace.placement(pod).getStatus();

        assertThat(Usage.sum(status.numaNodes(), NumaNodeUsage::placedBytes)).isEqualTo(POOL_BYTES);
        assertThat(Usage.sum(status.numaNodes(), NumaNodeUsage::spilledBytes)).isZero();
        assertThat(Usage.sum(status.numaNodes(), NumaNodeUsage::hugeBytes)).isEqualTo(POOL_BYTES);
    }

    @Test
    void aPersonCanWaitForThePool() {
        var waited = namespace.kubectl("wait", "--for=condition=Ready", "nbp/orders", "--timeout=60s");

        assertThat(waited.orThrow()).contains("numabufferpool.numabufferpool.io/orders condition met");
        assertThat(namespace.condition("orders", ConditionType.PlacementVerified))
                .hasValueSatisfying(condition -> assertThat(condition.status()).isEqualTo("True"));
        assertThat(namespace.condition("orders", ConditionType.InjectionActive))
                .hasValueSatisfying(condition -> assertThat(condition.status()).isEqualTo("True"));
    }

    @Test
    void strangersOfTwoUsersSeeWhatStatusSays() {
        var status = namespace.placement(pod).getStatus();

        for (var container : new String[] {"app", "exporter"}) {
            var probe = Probe.in(namespace, pod, container);

            assertThat(probe.bytesOnNode()).as(container).isEqualTo(Usage.placed(status.numaNodes()));
            assertThat(probe.hugeBytes()).as(container).isEqualTo(POOL_BYTES);
        }
    }

    @Test
    void aReadOnlyClientCannotWriteByAnyWay() {
        var reader = namespace.podOf("reader").getMetadata().getName();
        namespace.awaitReady(reader);

        for (var container : new String[] {"app", "exporter"}) {
            var ways = namespace
                    .exec(reader, container, "/probe", "tamper", "/run/numa-buffer-pool")
                    .orThrow();

            assertThat(ways.lines()).as(container).hasSize(9).noneMatch(way -> way.endsWith("allowed"));
        }
    }

    @Test
    void aClientOfAnotherLayoutIsToldWhichVersionsMeet() {
        var refused = namespace.exec(pod, "app", "/probe", "layout", "/run/numa-buffer-pool", "2");

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output())
                .contains("The segment has layout 1.0; this client reads 2.x. Use a client that reads 1.x");
    }

    @Test
    void aNumaNodeThatTheMachineDoesNotHaveIsAConditionAndTheAppWaits(Cluster cluster) {
        namespace.apply("pool.yaml", Map.of("pool", "nowhere", "spec", "{size: 16Mi, placement: {nodes: \"1023\"}}"));
        namespace.apply("shop.yaml", Map.of("name", "nowhere", "pool", "nowhere", "node", cluster.plainKubeNode()));

        var condition = namespace.awaitReason("nowhere", ConditionType.NodeSetResolved, Reason.NumaNodeNotPresent);

        assertThat(condition.status()).isEqualTo("False");
        assertThat(condition.message()).contains("1023").contains("spec.placement.nodes");
        assertThat(UserNamespace.container(namespace.podOf("nowhere"), "app").getStarted())
                .isNotEqualTo(true);
    }

    @Test
    void theSidecarSeesNoTokenOfTheApplication() {
        var sidecar = namespace
                .pods()
                .withName(pod)
                .get()
                .getSpec()
                .getInitContainers()
                .getFirst();

        assertThat(sidecar.getVolumeMounts())
                .filteredOn(mount -> mount.getMountPath().equals("/var/run/secrets/kubernetes.io/serviceaccount"))
                .singleElement()
                .satisfies(mount -> assertThat(mount.getName()).isEqualTo("numa-buffer-pool-no-token"));
    }
}
