package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;

/** The real machine, for tests on several NUMA nodes: its nodes with memory, threads on them, and where pages lie. */
final class NumaMachine {
    static final long HUGE = 2L << 20;

    final Linux linux = new JnaLinux();

    List<NumaNode> nodes() {
        return new NumaTopologyReader()
                .read().numaNodes().stream()
                        .filter(node -> node.memoryBytes() > 0)
                        .toList();
    }

    List<NumaNode> nodesWithCpus() {
        return nodes().stream().filter(node -> !node.cpus().isEmpty()).toList();
    }

    NumaNodeSet set(List<NumaNode> nodes) {
        return NumaNodeSet.of(nodes.stream().mapToInt(NumaNode::index).toArray());
    }

    long freeHugePages(int numaNode) {
        return new NumaTopologyReader().read().find(numaNode).orElseThrow().freeHugePages(HUGE);
    }

    /** Bytes of the mappings that begin in the range, on that node. */
    long bytesOn(MemorySegment range, int numaNode) {
        return linux.numaMaps(range).stream()
                .mapToLong(line -> line.bytesOn(numaNode))
                .sum();
    }

    long bytes(MemorySegment range) {
        return linux.numaMaps(range).stream().mapToLong(NumaMaps.Line::bytes).sum();
    }

    /** The result of the work on a thread that runs on these CPUs only. */
    <T> T on(CpuSet cpus, Supplier<T> work) {
        var before = linux.affinity();
        var bound = linux.setAffinity(cpus);
        if (!bound.ok()) {
            throw new IllegalStateException("sched_setaffinity to " + cpus + ": " + bound);
        }
        try {
            return work.get();
        } finally {
            linux.setAffinity(before);
        }
    }
}
