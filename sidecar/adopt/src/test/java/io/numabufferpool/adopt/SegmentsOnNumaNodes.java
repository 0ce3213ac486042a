package io.numabufferpool.adopt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where segments of 64 MiB really lie on NUMA nodes 0 to 3. Runs in the numa lane. */
class SegmentsOnNumaNodes {
    private static final Path OVERCOMMIT = Path.of("/proc/sys/vm/overcommit_memory");
    private static final Path HUGE_PAGES_OF_NODE_1 =
            Path.of("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages");

    @TempDir
    private static Path folder;

    private static Bench bench;
    private static Path segments;
    private static Path refuse;

    @BeforeAll
    static void compile() {
        bench = new Bench(folder).buildLibrary("cc");
        segments = bench.compile(Bench.has("musl-gcc") ? "musl-gcc" : "cc", "segments", "-pthread");
        refuse = bench.compile("cc", "refuse");
    }

    @BeforeEach
    void startFromFourNodes() {
        bench.forget().set("NODES", "0-3");
    }

    private static Map<String, String> theReport() {
        assertThat(bench.reports()).hasSize(1);
        return bench.reports().getFirst();
    }

    private static void assertEqualShares(Map<String, String> report) {
        for (int node = 0; node < 4; node++) {
            assertThat(report).containsEntry("placed." + node, Long.toString(16L << 20));
        }
        assertThat(report).containsEntry("hugeBytes", Long.toString(64L << 20));
    }

    @ParameterizedTest
    @CsvSource({"shared,Interleave", "system-v,Interleave", "file,Partitioned", "shared,Partitioned"})
    void everyNodeHoldsAnEqualShareInHugePages(String how, String policy) {
        var ended = bench.set("POLICY", policy).run(segments, how);

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("method", "Mbind");
        assertEqualShares(theReport());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Interleave", "Partitioned"})
    void whereMemoryPolicyIsForbiddenFirstTouchGivesTheSame(String policy) {
        var ended = bench.set("POLICY", policy).run(refuse, 1, segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("method", "PinnedFirstTouch");
        assertEqualShares(theReport());
    }

    @Test
    void weightsAreKept() {
        var ended = bench.set("POLICY", "WeightedInterleave")
                .set("NODES", "0,2")
                .set("WEIGHTS", "0=3,2=1")
                .run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport())
                .containsEntry("placed.0", Long.toString(48L << 20))
                .containsEntry("placed.2", Long.toString(16L << 20));
    }

    @Test
    void boundSegmentLiesOnItsNode() {
        bench.set("POLICY", "Bind").set("NODES", "2").run(segments, "shared");

        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("placed.2", Long.toString(64L << 20));
    }

    @Test
    void heapIsSpreadAsItIsTouched() {
        bench.set("KINDS", "Private").set("HUGE_PAGES", "Never").run(segments, "private");

        assertThat(theReport())
                .containsEntry("state", "PolicyOnly")
                .containsEntry("placed.3", Long.toString(16L << 20));
    }

    @Test
    void nodeWithoutHugePagesIsSaidToHaveSpilled() throws Exception {
        assumeTrue(Files.isWritable(HUGE_PAGES_OF_NODE_1), "needs root and 2 MiB pages reserved on each node");
        var before = Files.readString(HUGE_PAGES_OF_NODE_1);
        Files.writeString(HUGE_PAGES_OF_NODE_1, "0");
        try {
            var ended = bench.run(segments, "hugetlb");

            assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
            assertThat(theReport())
                    .containsEntry("state", "Spilled")
                    .containsEntry("wanted.1", Long.toString(16L << 20))
                    .doesNotContainKey("placed.1");
        } finally {
            Files.writeString(HUGE_PAGES_OF_NODE_1, before);
        }
    }

    @Test
    void strictAccountingOfMemoryIsKeptTo() throws Exception {
        assumeTrue(Files.isWritable(OVERCOMMIT), "needs root: sets vm.overcommit_memory");
        var before = Files.readString(OVERCOMMIT);
        Files.writeString(OVERCOMMIT, "2");
        try {
            var ended = bench.run(segments, "shared");

            assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
            assertEqualShares(theReport());
        } finally {
            Files.writeString(OVERCOMMIT, before);
        }
    }
}
