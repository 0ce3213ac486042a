package io.numabufferpool.server.segment;

import io.numabufferpool.linux.FakeLinux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNode.HugePagePool;
import io.numabufferpool.placement.NumaTopology;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A machine in memory with four NUMA nodes of two CPUs each, and one buffers file to be placed on it. */
final class FakeNodes {
    static final long MIB = 1L << 20;
    static final long HUGE = 2 * MIB;
    static final int COUNT = 4;

    private static final long MEMORY_BYTES = 256 * MIB;
    private static final long HUGE_PAGES = 16;
    private static final Path FOLDER = Path.of("/segment");

    final FakeLinux linux = new FakeLinux(topology());
    final StopSignal stop = new StopSignal();
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    Progress progress = Progress.SILENT;

    static NumaTopology topology() {
        return new NumaTopology(IntStream.range(0, COUNT)
                .mapToObj(index -> new NumaNode(
                        index,
                        CpuSet.of(index, index + COUNT),
                        MEMORY_BYTES,
                        MEMORY_BYTES,
                        List.of(new HugePagePool(HUGE, HUGE_PAGES, HUGE_PAGES, 0)),
                        IntStream.range(0, COUNT)
                                .mapToObj(other -> index == other ? 10 : 20)
                                .toList()))
                .toList());
    }

    /** A file of the length of these ranges, mapped for placing. */
    WindowSet map(List<PlacedRange> ranges, HugePageMode pages) {
        if (pages == HugePageMode.Reserved) {
            linux.mountHugePages(FOLDER, HUGE);
        }
        LinuxFile file = linux.open(FOLDER.resolve("buffers.new"), OpenMode.CREATE_NEW, 0600);
        var last = ranges.getLast();
        long bytes = last.offsetBytes() + last.bytes();
        linux.setLength(file, bytes);
        // The machine in memory shows of a file what its first mapping showed.
        linux.map(file, 0, bytes, Protection.READ_WRITE, HUGE);
        return WindowSet.map(linux, ranges, Map.of(SegmentFile.BUFFERS, file), HUGE);
    }

    SegmentPlacer placer(HugePageMode pages) {
        var cpus = new TreeMap<Integer, CpuSet>();
        topology().numaNodes().forEach(node -> cpus.put(node.index(), node.cpus()));
        var tools = new PlacementTools(cpus, new NodeMemory(Path.of("/nowhere")), progress);
        var log = new Log(new PrintStream(written, true, StandardCharsets.UTF_8), LogFormat.TEXT, Clock.systemUTC());
        return new SegmentPlacer(linux, tools, pages, HUGE, stop, log);
    }

    String log() {
        return written.toString(StandardCharsets.UTF_8);
    }

    /** One range on each node, one after the other. */
    static List<PlacedRange> oneRangeANode(long bytesEach) {
        return IntStream.range(0, COUNT)
                .mapToObj(node -> PlacedRange.onNode(
                        SegmentFile.BUFFERS, "buffers of partition " + node, node * bytesEach, bytesEach, node))
                .toList();
    }

    /** One range that lies on all nodes, stripe by stripe. */
    static PlacedRange striped(long bytesEach) {
        var wanted = new TreeMap<Integer, Long>();
        IntStream.range(0, COUNT).forEach(node -> wanted.put(node, bytesEach));
        return new PlacedRange(SegmentFile.BUFFERS, "buffers", 0, COUNT * bytesEach, HUGE, wanted);
    }
}
