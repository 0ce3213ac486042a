package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNode.HugePagePool;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The machine's NUMA nodes from sysfs (Documentation/ABI/stable/sysfs-devices-node). Each {@link #read()} is a new look.
 * Thread-safe.
 *
 * <p>Only online nodes count; numbers may have holes. A kernel without NUMA, or a sandbox that shows none, is one node 0 with
 * all CPUs and all memory.
 */
public final class NumaTopologyReader {
    private static final Pattern NODE_FOLDER = Pattern.compile("node([0-9]{1,5})");
    private static final Pattern HUGE_PAGES_FOLDER = Pattern.compile("hugepages-([0-9]{1,12})kB");
    /** {@code Node 0 MemTotal: 16 kB} of a node's meminfo, {@code MemTotal: 16 kB} of the machine's. */
    private static final Pattern MEMINFO = Pattern.compile("(?:Node [0-9]+ +)?(MemTotal|MemFree): +([0-9]{1,15}) kB");

    private static final Pattern WEIGHT = Pattern.compile("[0-9]{1,3}");
    private static final Pattern SPACES = Pattern.compile("\\s+");
    private static final int LOCAL_DISTANCE = 10;
    private static final long KIB = 1024;

    private final Path sys;
    private final Path proc;

    /** Of this machine. */
    public NumaTopologyReader() {
        this(Path.of("/sys"), Path.of("/proc"));
    }

    /**
     * @param sys where sysfs is
     * @param proc where proc is; only its meminfo, for a machine without NUMA
     */
    public NumaTopologyReader(Path sys, Path proc) {
        this.sys = sys;
        this.proc = proc;
    }

    /** The nodes as they are now. IllegalStateException where a file has what no kernel writes. */
    public NumaTopology read() {
        var folder = sys.resolve("devices/system/node");
        var online =
                KernelFile.find(folder.resolve("online"), NumaNodeSet::parse).orElseGet(() -> foldersIn(folder));
        var indexes = online.stream()
                .filter(index -> Files.isDirectory(folder.resolve("node" + index)))
                .boxed()
                .toList();
        if (indexes.isEmpty()) {
            return new NumaTopology(List.of(wholeMachine()));
        }
        return new NumaTopology(indexes.stream()
                .map(index -> node(index, folder.resolve("node" + index), indexes.size(), interleaveWeight(index)))
                .toList());
    }

    private static NumaNodeSet foldersIn(Path folder) {
        return NumaNodeSet.of(KernelFile.list(folder).stream()
                .map(entry -> NODE_FOLDER.matcher(entry.getFileName().toString()))
                .filter(Matcher::matches)
                .mapToInt(name -> Integer.parseInt(name.group(1)))
                .toArray());
    }

    /** Of MPOL_WEIGHTED_INTERLEAVE, since Linux 6.9 (Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave). */
    private int interleaveWeight(int index) {
        return KernelFile.find(
                        sys.resolve("kernel/mm/mempolicy/weighted_interleave/node" + index), NumaTopologyReader::weight)
                .orElse(NumaNode.WEIGHT_UNKNOWN);
    }

    private static int weight(String text) {
        return WEIGHT.matcher(text.strip()).matches() ? Integer.parseInt(text.strip()) : NumaNode.WEIGHT_UNKNOWN;
    }

    private static NumaNode node(int index, Path folder, int nodeCount, int interleaveWeight) {
        var meminfo = folder.resolve("meminfo");
        return new NumaNode(
                index,
                KernelFile.find(folder.resolve("cpulist"), CpuSet::parse).orElse(CpuSet.empty()),
                bytes(meminfo, "MemTotal"),
                bytes(meminfo, "MemFree"),
                hugePages(folder.resolve("hugepages")),
                KernelFile.find(folder.resolve("distance"), text -> distances(text, nodeCount))
                        .orElse(List.of()),
                interleaveWeight);
    }

    private NumaNode wholeMachine() {
        var meminfo = proc.resolve("meminfo");
        return new NumaNode(
                0,
                KernelFile.find(sys.resolve("devices/system/cpu/online"), CpuSet::parse)
                        .orElse(CpuSet.empty()),
                bytes(meminfo, "MemTotal"),
                bytes(meminfo, "MemFree"),
                hugePages(sys.resolve("kernel/mm/hugepages")),
                List.of(LOCAL_DISTANCE));
    }

    private static long bytes(Path meminfo, String key) {
        for (var line : KernelFile.lines(meminfo)) {
            var matcher = MEMINFO.matcher(line.strip());
            if (matcher.matches() && matcher.group(1).equals(key)) {
                return Long.parseLong(matcher.group(2)) * KIB;
            }
        }
        return 0;
    }

    private static List<HugePagePool> hugePages(Path folder) {
        return KernelFile.list(folder).stream()
                .filter(entry -> HUGE_PAGES_FOLDER
                        .matcher(entry.getFileName().toString())
                        .matches())
                .map(NumaTopologyReader::pool)
                .sorted(Comparator.comparingLong(HugePagePool::pageBytes))
                .toList();
    }

    private static HugePagePool pool(Path folder) {
        var name = HUGE_PAGES_FOLDER.matcher(folder.getFileName().toString());
        if (!name.matches()) {
            throw new IllegalStateException(folder + " is no folder of huge pages");
        }
        return new HugePagePool(
                Long.parseLong(name.group(1)) * KIB,
                KernelFile.number(folder.resolve("nr_hugepages")),
                KernelFile.number(folder.resolve("free_hugepages")),
                KernelFile.number(folder.resolve("surplus_hugepages")));
    }

    /** One number for each online node, in their order; unknown where a node came or went while we read. */
    private static List<Integer> distances(String text, int nodeCount) {
        var distances =
                Arrays.stream(SPACES.split(text, 0)).map(Integer::valueOf).toList();
        return distances.size() == nodeCount ? distances : List.of();
    }
}
