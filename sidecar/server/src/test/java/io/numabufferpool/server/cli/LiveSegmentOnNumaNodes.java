package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cpuset of a sidecar changes while programs read through its pool. Run by the numa lane, as root with cgroup v2. */
class LiveSegmentOnNumaNodes {
    private static final long MIB = 1L << 20;

    /** The guest is emulated: a start of a JVM takes it half a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");
    private static final Path CGROUP = CGROUPS.resolve("numapool-live");

    private final TmpfsFolder folder = new TmpfsFolder();

    @BeforeEach
    void makeCgroup() throws IOException {
        Files.createDirectory(CGROUP);
        Files.writeString(CGROUPS.resolve("cgroup.subtree_control"), "+cpuset +memory");
    }

    @AfterEach
    void removeAll() throws IOException {
        folder.close();
        await().atMost(PATIENCE)
                .until(() -> Files.readString(CGROUP.resolve("cgroup.procs")).isBlank());
        Files.delete(CGROUP);
    }

    private void allow(String mems) throws IOException {
        Files.writeString(CGROUP.resolve("cpuset.mems"), mems);
    }

    private Path attach() {
        return folder.path().resolve("pool").resolve("attach");
    }

    private Path write(String spec) throws IOException {
        return Files.writeString(
                folder.path().resolve("pool.yaml"),
                "apiVersion: numabufferpool.io/v1alpha1\nkind: NumaBufferPool\nmetadata: {name: orders}\nspec: " + spec
                        + "\n");
    }

    private ServeProcess serve(String spec) throws Exception {
        var file = write(spec);
        var dir = folder.path().resolve("pool");
        return ServeProcess.startIn(
                CGROUP, folder.path(), "serve", "-f", file.toString(), "--dir", dir.toString(), "--http", "0");
    }

    private void awaitShares(ServeProcess serve, Map<Integer, Long> mibOfNode) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            var status = serve.status(attach()).status();
            assertThat(placedMib(status)).as(serve.output()).isEqualTo(mibOfNode);
            assertThat(status.numaNodes()).allMatch(row -> row.spilledBytes() == 0);
            assertThat(status.phase()).isEqualTo(Phase.Serving);
        });
    }

    private static Map<Integer, Long> placedMib(NumaPlacementStatus status) {
        return status.numaNodes().stream()
                .filter(row -> row.placedBytes() > 0)
                .collect(Collectors.toMap(
                        NumaNodeUsage::numaNode, row -> row.placedBytes() / MIB, Long::sum, TreeMap::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Partitioned", "Interleave"})
    void theSegmentFollowsTheCpusetWhileItIsRead(String policy) throws Exception {
        allow("0-3");
        var rest = ", maxSize: 128Mi, bufferSize: 4Ki, partitionsPerNode: 2, placement: {policy: " + policy + "}}";
        try (var serve = serve("{size: 64Mi" + rest)) {
            serve.await("segment published");
            awaitShares(serve, Map.of(0, 16L, 1, 16L, 2, 16L, 3, 16L));
            try (var readers = new ReadersAlongside(attach(), folder.path().resolve("data"), 12_000, 2)) {
                allow("1,3");
                awaitShares(serve, Map.of(1, 32L, 3, 32L));
                assertThat(serve.output()).contains("the container's NUMA nodes changed  memsAllowed=1,3");
                assertThat(serve.status(attach()).decision().numaNodes()).isEqualTo("1,3");

                allow("0-3");
                awaitShares(serve, Map.of(0, 16L, 1, 16L, 2, 16L, 3, 16L));
                assertThat(serve.output()).contains("the segment lies as decided  numaNodes=0-3");

                write("{size: 96Mi" + rest);
                awaitShares(serve, Map.of(0, 24L, 1, 24L, 2, 24L, 3, 24L));
                long before = readers.reads();
                await().atMost(PATIENCE).until(() -> readers.reads() > before + 100);
                readers.finish();
            }
            var hugeBytes = serve.status(attach()).status().numaNodes().stream()
                    .mapToLong(NumaNodeUsage::hugeBytes)
                    .sum();
            assertThat(hugeBytes).isEqualTo(96 * MIB);
        }
    }
}
