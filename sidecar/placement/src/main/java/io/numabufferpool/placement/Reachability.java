package io.numabufferpool.placement;

import java.util.HashMap;
import java.util.Map;

/**
 * To which NUMA nodes a container can get pages, which is less than what it may use: without {@code mbind(2)} a page goes
 * where the thread that first touches it runs, and not every allowed node has an allowed CPU. Immutable.
 */
public final class Reachability {
    /*
     * A first touch on a CPU takes memory from the first usable node in the zone list of the CPU's node (ZoneLists).
     *
     * A memory policy that the runtime has set for the task overrules locality, and where mbind is forbidden so is
     * set_mempolicy: then only that policy's nodes can be reached.
     */
    private final Observation observation;
    private final NumaNodeSet usable;
    private final Map<Integer, CpuSet> touchCpus;
    private final NumaNodeSet reachable;

    private Reachability(Observation observation) {
        this.observation = observation;
        var allowed = observation.memsAllowed().and(withMemory(observation.topology()));
        var byPolicy = observation.mbindAllowed()
                ? NumaNodeSet.empty()
                : observation.taskPolicyNodes().and(allowed);
        this.usable = byPolicy.isEmpty() ? allowed : byPolicy;
        this.touchCpus = touchCpus(observation, usable);
        boolean everywhere = observation.mbindAllowed() || !byPolicy.isEmpty() || usable.size() == 1;
        this.reachable = everywhere ? usable : touched();
    }

    /** Works out what this container reaches. */
    public static Reachability of(Observation observation) {
        return new Reachability(observation);
    }

    /** Nodes of the topology that have memory. */
    static NumaNodeSet withMemory(NumaTopology topology) {
        return NumaNodeSet.of(topology.numaNodes().stream()
                .filter(node -> node.memoryBytes() > 0)
                .mapToInt(NumaNode::index)
                .toArray());
    }

    /** Allowed nodes with memory to which pages can be got, by whatever means. */
    public NumaNodeSet reachable() {
        return reachable;
    }

    /** The task policy's allowed nodes where that policy decides, because mbind is forbidden; else empty. */
    NumaNodeSet boundByTaskPolicy() {
        return observation.mbindAllowed()
                ? NumaNodeSet.empty()
                : observation.taskPolicyNodes().and(usable);
    }

    /**
     * The allowed CPUs from which a first touch lands on that node: those that a thread binds itself to under
     * {@link PlacementMethod#PinnedFirstTouch}. Every allowed CPU where only one node can be used.
     */
    public CpuSet touchCpus(int numaNode) {
        return touchCpus.getOrDefault(numaNode, CpuSet.empty());
    }

    private static Map<Integer, CpuSet> touchCpus(Observation observation, NumaNodeSet usable) {
        var touchCpus = new HashMap<Integer, CpuSet>();
        if (usable.size() == 1) {
            touchCpus.put(usable.stream().findFirst().orElseThrow(), observation.cpusAllowed());
            return touchCpus;
        }
        var zoneLists = new ZoneLists(observation.topology());
        for (var node : observation.topology().numaNodes()) {
            var cpus = node.cpus().and(observation.cpusAllowed());
            if (!cpus.isEmpty()) {
                zoneLists.of(node.index()).stream()
                        .filter(usable::contains)
                        .findFirst()
                        .ifPresent(nearest -> touchCpus.merge(nearest, cpus, CpuSet::or));
            }
        }
        return touchCpus;
    }

    private NumaNodeSet touched() {
        return NumaNodeSet.of(
                touchCpus.keySet().stream().mapToInt(Integer::intValue).toArray());
    }
}
