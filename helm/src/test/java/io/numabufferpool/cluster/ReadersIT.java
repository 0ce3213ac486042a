package io.numabufferpool.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.numabufferpool.crds.NumaNodeUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients in two containers, one file three times as large as the pool, on a node with four NUMA nodes: on pages made
 * huge, and on reserved ones. Both pods work at the same time, because they wait for one emulated CPU anyway.
 */
@Tag("cluster")
@ExtendWith(Cluster.Parameter.class)
final class ReadersIT {
    private static final long POOL_BYTES = 8L << 20;
    private static final String TRANSPARENT = "transparent";
    private static final String RESERVED = "reserved";

    /** Of random reads, after the file was read in order. */
    private static final int LOAD_SECONDS = 60;

    /** The sidecar's summary reaches status within this time of the change. */
    private static final Duration IN_STATUS_WITHIN = Duration.ofSeconds(30);

    /** Four JVMs start, hash the file and read it, on one emulated CPU. */
    private static final Duration READ_WITHIN = Duration.ofMinutes(10);

    private static UserNamespace namespace;

    @BeforeAll
    static void startReaders(Cluster cluster) {
        namespace = new UserNamespace(cluster, "readers");
        namespace.apply("pool.yaml", Map.of("pool", TRANSPARENT, "spec", "{size: 8Mi}"));
        namespace.apply("pool.yaml", Map.of("pool", RESERVED, "spec", "{size: 8Mi, hugePages: {mode: Reserved}}"));
        namespace.awaitCa();
        for (var name : List.of(TRANSPARENT, RESERVED)) {
            namespace.apply(
                    "readers.yaml",
                    Map.of(
                            "name", name,
                            "pool", name,
                            "node", cluster.numaKubeNode(),
                            "bytes", String.valueOf(3 * POOL_BYTES),
                            "seconds", String.valueOf(LOAD_SECONDS)));
        }
        namespace.awaitReady(TRANSPARENT);
        namespace.awaitReady(RESERVED);
    }

    @AfterAll
    static void leave() {
        namespace.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {TRANSPARENT, RESERVED})
    void everyBlockIsTheFilesAndStatusCountsTheWorkAndPagesStay(String pod) throws IOException {
        var first = ended(pod, "first");
        var second = ended(pod, "second");

        assertThat(first.getTerminated().getExitCode()).as(log(pod, "first")).isZero();
        assertThat(second.getTerminated().getExitCode()).as(log(pod, "second")).isZero();
        var misses = count(pod, "first", "misses") + count(pod, "second", "misses");
        assertThat(misses).isGreaterThanOrEqualTo(2 * POOL_BYTES / 8192);
        // Status keeps three digits of each node's number, rounded down.
        Awaitility.await("counters in status")
                .atMost(IN_STATUS_WITHIN)
                .untilAsserted(
                        () -> assertThat(sum(pod, NumaNodeUsage::misses)).isBetween(misses - misses / 100 - 4, misses));
        var usage = namespace.placement(pod).getStatus().numaNodes();
        assertThat(usage).hasSize(4).allSatisfy(ReadersIT::wasUsed);
        assertThat(Usage.sum(usage, NumaNodeUsage::hugeBytes)).isEqualTo(POOL_BYTES);
        var probe = Probe.in(namespace, pod, "keeper");
        assertThat(probe.bytesOnNode()).hasSize(4).isEqualTo(Usage.placed(usage));
        Files.writeString(
                Path.of("target/describe-nbp-" + pod + ".txt"),
                namespace.kubectl("describe", "nbp", pod).orThrow());
    }

    private static void wasUsed(NumaNodeUsage node) {
        assertThat(node.hits()).as("hits of node %d", node.numaNode()).isPositive();
        assertThat(node.misses()).as("misses of node %d", node.numaNode()).isPositive();
        assertThat(node.evictions()).as("evictions of node %d", node.numaNode()).isPositive();
    }

    private static ContainerState ended(String pod, String container) {
        return Awaitility.await(container + " of " + pod + " has read everything")
                .atMost(READ_WITHIN)
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> UserNamespace.container(
                                        namespace.pods().withName(pod).get(), container)
                                .getState(),
                        state -> state.getTerminated() != null);
    }

    private static long count(String pod, String container, String number) throws IOException {
        return new ObjectMapper().readTree(log(pod, container)).get(number).longValue();
    }

    private static String log(String pod, String container) {
        return namespace.pods().withName(pod).inContainer(container).getLog();
    }

    private static long sum(String pod, ToLongFunction<NumaNodeUsage> number) {
        return Usage.sum(namespace.placement(pod).getStatus().numaNodes(), number);
    }
}
