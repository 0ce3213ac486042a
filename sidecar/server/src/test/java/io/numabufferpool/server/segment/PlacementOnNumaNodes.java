package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.numabufferpool.crds.Reason;
import io.numabufferpool.linux.HugePagesCondition;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.NumaTopologyReader;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.RequiresHugePages;
import io.numabufferpool.linux.TmpfsFolder;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.SegmentPlacer.Placed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On a machine with several NUMA nodes, as the kernel counts. Run by the numa lane. */
class PlacementOnNumaNodes {
    private static final long HUGE = 2L << 20;
    private static final long SHARE = 4 * HUGE;

    private final Linux linux = new JnaLinux();
    private final TmpfsFolder folder = new TmpfsFolder();
    private final List<NumaNode> nodes = new NumaTopologyReader()
            .read().numaNodes().stream()
                    .filter(node -> node.memoryBytes() > 0 && !node.cpus().isEmpty())
                    .toList();

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    private SegmentPlacer placer(HugePageMode pages) {
        var cpus = new TreeMap<Integer, CpuSet>();
        nodes.forEach(node -> cpus.put(node.index(), node.cpus()));
        var tools = new PlacementTools(cpus, new NodeMemory(Path.of("/sys/devices/system/node")), Progress.SILENT);
        var log = new Log(System.out, LogFormat.TEXT, Clock.systemUTC());
        return new SegmentPlacer(linux, tools, pages, HUGE, new StopSignal(), log);
    }

    private LinuxFile file(Path path, List<PlacedRange> ranges) {
        var file = linux.open(path, OpenMode.CREATE_NEW, 0600);
        linux.setLength(file, ranges.getLast().offsetBytes() + ranges.getLast().bytes());
        return file;
    }

    private List<PlacedRange> oneRangeANode(ToLongFunction<NumaNode> bytes) {
        var ranges = new ArrayList<PlacedRange>();
        long offset = 0;
        for (var node : nodes) {
            long length = bytes.applyAsLong(node);
            ranges.add(PlacedRange.onNode(
                    SegmentFile.BUFFERS, "buffers of node " + node.index(), offset, length, node.index()));
            offset += length;
        }
        return ranges;
    }

    private Placed place(
            Path path, List<PlacedRange> ranges, HugePageMode pages, PlacementMethod method, Enforcement enforcement) {
        try (var file = file(path, ranges);
                var windows = WindowSet.map(linux, ranges, Map.of(SegmentFile.BUFFERS, file), HUGE)) {
            return placer(pages).place(windows, method, enforcement);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PlacementMethod.class,
            names = {"Mbind", "PinnedFirstTouch"})
    void partitionsLieWhollyOnTheirNodeInHugePages(PlacementMethod method) {
        var ranges = oneRangeANode(node -> SHARE);

        var placed =
                place(folder.path().resolve("buffers"), ranges, HugePageMode.Transparent, method, Enforcement.Strict);

        assertThat(placed.method()).isEqualTo(method);
        assertThat(placed.ranges()).allSatisfy(range -> {
            assertThat(range.placedBytes()).isEqualTo(range.range().wantedBytes());
            assertThat(range.hugeBytes()).isEqualTo(SHARE);
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = PlacementMethod.class,
            names = {"Mbind", "PinnedFirstTouch"})
    void stripesLieInEqualSharesAlsoAfterTheyBecameHuge(PlacementMethod method) {
        var wanted = new TreeMap<Integer, Long>();
        nodes.forEach(node -> wanted.put(node.index(), SHARE));
        var range = new PlacedRange(SegmentFile.BUFFERS, "buffers", 0, SHARE * nodes.size(), HUGE, wanted);

        var placed = place(
                folder.path().resolve("buffers"), List.of(range), HugePageMode.Transparent, method, Enforcement.Strict);

        assertThat(placed.ranges().getFirst().placedBytes()).isEqualTo(wanted);
        assertThat(placed.ranges().getFirst().hugeBytes()).isEqualTo(range.bytes());
    }

    /** One page more than the last node has free, two on each of the others. */
    private List<PlacedRange> tooMuchForTheLastNode() {
        return oneRangeANode(node -> node.equals(nodes.getLast()) ? (node.freeHugePages(HUGE) + 1) * HUGE : 2 * HUGE);
    }

    private static Path hugePagesFile() {
        return HugePagesCondition.folder().orElseThrow().resolve("numapool-test-" + System.nanoTime());
    }

    @Test
    @RequiresHugePages(32)
    void tooFewReservedPagesOnOneNodeAreRefusedUnderStrict() throws Exception {
        var path = hugePagesFile();
        try {
            var failed = catchThrowableOfType(
                    PlacementFailed.class,
                    () -> place(
                            path,
                            tooMuchForTheLastNode(),
                            HugePageMode.Reserved,
                            PlacementMethod.Mbind,
                            Enforcement.Strict));

            assertThat(failed.reason()).isEqualTo(Reason.InsufficientHugePages);
            assertThat(failed)
                    .hasMessageContaining("on NUMA node " + nodes.getLast().index() + " (EFAULT)");
        } finally {
            Files.deleteIfExists(path);
        }
    }

    @Test
    @RequiresHugePages(32)
    void tooFewReservedPagesOnOneNodeSpillUnderBestEffortAndAreCountedWhereTheyAre() throws Exception {
        var path = hugePagesFile();
        try {
            var ranges = tooMuchForTheLastNode();

            var placed = place(path, ranges, HugePageMode.Reserved, PlacementMethod.Mbind, Enforcement.BestEffort);

            var last = placed.ranges().getLast();
            assertThat(last.missingBytes()).isZero();
            assertThat(last.placedBytes().get(nodes.getLast().index()))
                    .isEqualTo(ranges.getLast().bytes() - HUGE);
            assertThat(last.spilledBytes().values()).containsExactly(HUGE);
            assertThat(placed.ranges().subList(0, nodes.size() - 1)).allMatch(RangePlacement::asWanted);
        } finally {
            Files.deleteIfExists(path);
        }
    }

    @Test
    @RequiresHugePages(32)
    void reservedPagesLieOnTheirNodesByFirstTouchToo() throws Exception {
        var path = hugePagesFile();
        try {
            var placed = place(
                    path,
                    oneRangeANode(node -> 2 * HUGE),
                    HugePageMode.Reserved,
                    PlacementMethod.PinnedFirstTouch,
                    Enforcement.Strict);

            assertThat(placed.asWanted()).isTrue();
            assertThat(placed.ranges())
                    .allSatisfy(range -> assertThat(range.hugeBytes()).isEqualTo(2 * HUGE));
        } finally {
            Files.deleteIfExists(path);
        }
    }
}
