package io.numabufferpool.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Machines to plan on. */
final class Machines {
    static final long MI = 1L << 20;
    static final long GI = 1L << 30;
    static final long HUGE_PAGE = 2 * MI;

    private Machines() {}

    /** Node n has CPUs n and n + 4, 4 GiB and 64 free huge pages; distances 10 and 20. */
    static NumaTopology fourNodes() {
        var nodes = new ArrayList<NumaNode>();
        for (int n = 0; n < 4; n++) {
            nodes.add(node(n, CpuSet.of(n, n + 4), 4 * GI, 64, distances(n, 4)));
        }
        return new NumaTopology(nodes);
    }

    static NumaNode node(int index, CpuSet cpus, long memoryBytes, long freeHugePages, List<Integer> distances) {
        var pool = new NumaNode.HugePagePool(HUGE_PAGE, freeHugePages, freeHugePages, 0);
        return new NumaNode(index, cpus, memoryBytes, memoryBytes / 2, List.of(pool), distances);
    }

    static List<Integer> distances(int from, int count) {
        var distances = new ArrayList<Integer>();
        for (int to = 0; to < count; to++) {
            distances.add(to == from ? 10 : 20);
        }
        return distances;
    }

    /** A container that may use everything by mbind. */
    static Observation free(NumaTopology topology) {
        var cpus = topology.numaNodes().stream().map(NumaNode::cpus).reduce(CpuSet.empty(), CpuSet::or);
        return observe(topology, topology.all(), cpus, true);
    }

    static Observation observe(NumaTopology topology, NumaNodeSet mems, CpuSet cpus, boolean mbindAllowed) {
        return new Observation(
                topology, mems, cpus, mbindAllowed, NumaNodeSet.empty(), true, "6.12.0", OptionalLong.empty());
    }

    /** 1 GiB of 8 KiB buffers, Partitioned, Transparent, Strict. */
    static PlacementRequest request(String nodes) {
        return new PlacementRequest(
                GI,
                GI,
                8192,
                HugePageMode.Transparent,
                HUGE_PAGE,
                PlacementPolicy.Partitioned,
                NodeSelection.parse(nodes),
                false,
                Enforcement.Strict,
                4);
    }
}
