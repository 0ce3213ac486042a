package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.numabufferpool.crds.NumaNodeUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two clients in two containers, one file three times as large as the pool, on a node with four NUMA nodes. */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
final class ReadersIT {
    private static final long POOL_BYTES = 16L << 20;
    private static final int RANDOM_SECONDS = 30;

    /** The sidecar's summary reaches status within this time of the change. */
    private static final Duration IN_STATUS_WITHIN = Duration.ofSeconds(30);

    /** 48 MiB hashed four times by two JVMs that share one emulated CPU, and the random reads. */
    private static final Duration READ_WITHIN = Duration.ofMinutes(8);

    private static UserNamespace namespace;

    @BeforeAll
    static void startReaders(Cluster cluster) {
        namespace = new UserNamespace(cluster, "readers");
        namespace.apply("pool.yaml", Map.of("pool", "orders", "spec", "{size: 16Mi}"));
        namespace.apply(
                "readers.yaml",
                Map.of(
                        "pool", "orders",
                        "node", cluster.numaKubeNode(),
                        "bytes", String.valueOf(3 * POOL_BYTES),
                        "seconds", String.valueOf(RANDOM_SECONDS)));
        namespace.awaitReady("readers");
    }

    @AfterAll
    static void leave() {
        namespace.close();
    }

    @Test
    void everyBlockIsTheFilesAndStatusCountsTheWork() throws IOException {
        var first = ended("first");
        var second = ended("second");

        assertThat(first.getTerminated().getExitCode()).as(log("first")).isZero();
        assertThat(second.getTerminated().getExitCode()).as(log("second")).isZero();
        var misses = count("first", "misses") + count("second", "misses");
        assertThat(misses).isGreaterThanOrEqualTo(2 * POOL_BYTES / 8192);
        // Status keeps three digits of each node's number, rounded down.
        Awaitility.await("counters in status")
                .atMost(IN_STATUS_WITHIN)
                .untilAsserted(
                        () -> assertThat(sum(NumaNodeUsage::misses)).isBetween(misses - misses / 100 - 4, misses));
        assertThat(namespace.placement("readers").getStatus().numaNodes())
                .hasSize(4)
                .allSatisfy(node -> {
                    assertThat(node.hits())
                            .as("hits of node %d", node.numaNode())
                            .isPositive();
                    assertThat(node.misses())
                            .as("misses of node %d", node.numaNode())
                            .isPositive();
                    assertThat(node.evictions())
                            .as("evictions of node %d", node.numaNode())
                            .isPositive();
                });
        Files.writeString(
                Path.of("target/describe-nbp-readers.txt"),
                namespace.kubectl("describe", "nbp", "orders").orThrow());
    }

    @Test
    void underLoadEveryPageStaysWhereItWasPlaced() {
        ended("first");
        ended("second");

        var probe = Probe.in(namespace, "readers", "keeper");

        assertThat(probe.bytesOnNode())
                .hasSize(4)
                .isEqualTo(
                        Usage.placed(namespace.placement("readers").getStatus().numaNodes()));
    }

    private static ContainerState ended(String container) {
        return Awaitility.await(container + " has read everything")
                .atMost(READ_WITHIN)
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> UserNamespace.container(
                                        namespace.pods().withName("readers").get(), container)
                                .getState(),
                        state -> state.getTerminated() != null);
    }

    private static long count(String container, String number) throws IOException {
        return new ObjectMapper().readTree(log(container)).get(number).longValue();
    }

    private static String log(String container) {
        return namespace.pods().withName("readers").inContainer(container).getLog();
    }

    private static long sum(ToLongFunction<NumaNodeUsage> number) {
        return Usage.sum(namespace.placement("readers").getStatus().numaNodes(), number);
    }
}
