package io.numabufferpool.client;

import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.NumaTopology;
import java.util.Arrays;
import java.util.function.IntSupplier;

/** The NUMA node of the CPU that the calling thread runs on now. Thread-safe, immutable: CPUs do not move between nodes. */
final class CurrentNumaNode implements IntSupplier {
    private static final int UNKNOWN = -1;

    private final Linux linux;
    private final int[] nodeOfCpu;

    CurrentNumaNode(Linux linux, NumaTopology topology) {
        this.linux = linux;
        int lastCpu = topology.numaNodes().stream()
                .flatMapToInt(node -> node.cpus().stream())
                .max()
                .orElse(-1);
        this.nodeOfCpu = new int[lastCpu + 1];
        Arrays.fill(nodeOfCpu, UNKNOWN);
        for (var node : topology.numaNodes()) {
            node.cpus().stream().forEach(cpu -> nodeOfCpu[cpu] = node.index());
        }
    }

    /** -1 for a CPU that came after the topology was read. */
    @Override
    public int getAsInt() {
        int cpu = linux.currentCpu();
        return cpu >= 0 && cpu < nodeOfCpu.length ? nodeOfCpu[cpu] : UNKNOWN;
    }
}
