package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.linux.HugePagesCondition;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.NumaTopologyReader;
import io.numabufferpool.linux.ObservationReader;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.SeccompFilter;
import io.numabufferpool.linux.TmpfsFolder;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.placement.PlacementReason;
import io.numabufferpool.placement.Reachability;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.MatrixCell.Mbind;
import io.numabufferpool.server.segment.MatrixCell.Supply;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every policy on every kind of node set, with every kind of page, planned and placed as the sidecar does it, and read back by a
 * program of its own. Prints the matrix at the end. Run by the numa lane.
 */
class PlacementMatrixOnNumaNodes {
    private static final List<String> TABLE = new ArrayList<>();

    private static IndependentReader reader;

    private final Linux linux = new JnaLinux();

    @BeforeAll
    static void startReader() throws Exception {
        reader = IndependentReader.start();
    }

    @AfterAll
    static void printTable() throws Exception {
        reader.close();
        System.out.println("PLACEMENT MATRIX, as another program counts");
        TABLE.forEach(System.out::println);
    }

    private static List<NumaNode> nodesWithCpus() {
        return new NumaTopologyReader()
                .read().numaNodes().stream()
                        .filter(node -> node.memoryBytes() > 0 && !node.cpus().isEmpty())
                        .toList();
    }

    /** The last two, so that nothing lies there by chance. */
    static List<MatrixCell> cells() {
        var nodes = nodesWithCpus();
        var two = nodes.subList(nodes.size() - 2, nodes.size());
        return MatrixCell.all(
                NumaNodeSet.of(two.stream().mapToInt(NumaNode::index).toArray()));
    }

    /** What became of a cell. */
    private record Outcome(String words, SortedMap<Integer, Long> read) {}

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void pagesLieWhereThePolicySays(MatrixCell cell) throws Exception {
        var hugePages = HugePagesCondition.folder();
        Assumptions.assumeTrue(
                cell.hugePages() != HugePageMode.Reserved || hugePages.isPresent(), "no hugetlbfs of 2 MiB pages here");
        try (var tmpfs = new TmpfsFolder()) {
            var folder = cell.hugePages() == HugePageMode.Reserved ? hugePages.orElseThrow() : tmpfs.path();
            var file = folder.resolve("numapool-matrix-" + System.nanoTime());
            try {
                var outcome = onAThreadOfItsOwn(cell, file);
                TABLE.add(cell + "  " + outcome.words());
            } finally {
                Files.deleteIfExists(file);
            }
        }
    }

    /** A seccomp filter stays with the thread, and goes to those that it starts. */
    private Outcome onAThreadOfItsOwn(MatrixCell cell, Path file) throws Exception {
        var work = new FutureTask<>(() -> {
            if (cell.mbind() == Mbind.DENIED) {
                SeccompFilter.refuseMemoryPolicy();
            }
            return planAndPlace(cell, file);
        });
        var thread = new Thread(work, "matrix-cell");
        thread.start();
        return work.get();
    }

    private Outcome planAndPlace(MatrixCell cell, Path file) throws Exception {
        var seen = new ObservationReader(linux).read();
        assertThat(seen.mbindAllowed()).isEqualTo(cell.mbind() == Mbind.ALLOWED);
        var wanted = cell.nodes() instanceof NodeSelection.Listed(var listed) ? listed : seen.memsAllowed();
        long freePages = seen.topology().numaNodes().stream()
                .filter(node -> wanted.contains(node.index()))
                .mapToLong(node -> node.freeHugePages(MatrixCell.HUGE))
                .sum();
        var request = cell.request(freePages, wanted.stream().findFirst().orElseThrow());
        return switch (PlacementPlanner.plan(request, seen)) {
            case PlacementProblem problem -> refused(cell, problem);
            case PlacementDecision decision -> place(cell, decision, seen, file);
        };
    }

    private static Outcome refused(MatrixCell cell, PlacementProblem problem) {
        boolean noneWithAList = cell.policy() == PlacementPolicy.None && cell.nodes() instanceof NodeSelection.Listed;
        assertThat(problem.reason())
                .isEqualTo(noneWithAList ? PlacementReason.InvalidSpec : PlacementReason.InsufficientHugePages);
        assertThat(noneWithAList || cell.supply() == Supply.TOO_FEW)
                .as(problem.message())
                .isTrue();
        return new Outcome("refused: " + problem.reason(), new TreeMap<>());
    }

    private Outcome place(MatrixCell cell, PlacementDecision decision, Observation seen, Path path) throws Exception {
        var ranges = BufferRanges.of(decision, 8192, MatrixCell.HUGE);
        long bytes = ranges.getLast().offsetBytes() + ranges.getLast().bytes();
        try (var file = linux.open(path, OpenMode.CREATE_NEW, 0600)) {
            linux.setLength(file, bytes);
            try (var windows = WindowSet.map(linux, ranges, Map.of(SegmentFile.BUFFERS, file), MatrixCell.HUGE)) {
                var placed = placer(cell, seen).place(windows, decision.method(), cell.enforcement());
                var read = reader.read(path, 0, bytes);
                var told = new TreeMap<Integer, Long>();
                placed.ranges()
                        .forEach(range ->
                                range.placedBytes().forEach((node, amount) -> told.merge(node, amount, Long::sum)));
                assertThat(read).as("what the sidecar tells").isEqualTo(told);
                checkShares(cell, decision, read, bytes);
                checkPartitions(cell, decision, path);
                return new Outcome(placed.method() + " " + inPages(read), read);
            }
        }
    }

    private static void checkShares(
            MatrixCell cell, PlacementDecision decision, SortedMap<Integer, Long> read, long bytes) {
        assertThat(read.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(bytes);
        var method = cell.policy() == PlacementPolicy.None
                ? PlacementMethod.None
                : cell.mbind() == Mbind.ALLOWED ? PlacementMethod.Mbind : PlacementMethod.PinnedFirstTouch;
        assertThat(decision.method()).isEqualTo(method);
        if (cell.policy() == PlacementPolicy.None) {
            return;
        }
        var shares = new TreeMap<Integer, Long>();
        decision.shares().forEach(share -> shares.put(share.numaNode(), share.bytes()));
        if (cell.supply() == Supply.ENOUGH) {
            assertThat(read).isEqualTo(shares);
        } else {
            assertThat(read.keySet()).as("spilled").containsAll(shares.keySet()).hasSizeGreaterThan(shares.size());
        }
    }

    /** Where a partition has a node of its own, every page of it lies there. */
    private static void checkPartitions(MatrixCell cell, PlacementDecision decision, Path path) throws Exception {
        if (!cell.policy().partitionsOnSingleNodes() || cell.supply() == Supply.TOO_FEW) {
            return;
        }
        for (var partition : decision.partitions()) {
            // Whole huge pages inside the partition; its first and last may be shared with a neighbour on the same
            // node.
            long begin = partition.offsetBytes() / MatrixCell.HUGE * MatrixCell.HUGE;
            long end = Math.ceilDiv(partition.offsetBytes() + partition.bufferCount() * 8192, MatrixCell.HUGE)
                    * MatrixCell.HUGE;
            assertThat(reader.read(path, begin, end - begin)).containsOnlyKeys(partition.numaNode());
        }
    }

    private SegmentPlacer placer(MatrixCell cell, Observation seen) {
        var reachability = Reachability.of(seen);
        var cpus = new HashMap<Integer, CpuSet>();
        seen.memsAllowed().stream().forEach(node -> cpus.put(node, reachability.touchCpus(node)));
        var tools = new PlacementTools(cpus, new NodeMemory(Path.of("/sys/devices/system/node")), Progress.SILENT);
        var silent = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        var log = new Log(silent, LogFormat.TEXT, Clock.systemUTC());
        return new SegmentPlacer(linux, tools, cell.hugePages(), MatrixCell.HUGE, new StopSignal(), log);
    }

    private static String inPages(SortedMap<Integer, Long> read) {
        var words = new ArrayList<String>();
        read.forEach((node, bytes) -> words.add("N" + node + "=" + bytes / 1024 + "K"));
        return String.join(" ", words);
    }
}
