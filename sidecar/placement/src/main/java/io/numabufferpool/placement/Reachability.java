package io.numabufferpool.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * To which NUMA nodes a container can get pages, which is less than what it may use: without {@code mbind(2)} a page goes
 * where the thread that first touches it runs, and not every allowed node has an allowed CPU. Immutable.
 */
public final class Reachability {
    /*
     * A first touch on CPU c takes memory from the first allowed node in the zone list of c's node. The kernel builds that
     * list in find_next_best_node (mm/page_alloc.c): the node itself, then by distance; on equal distances nodes without
     * CPUs come before nodes with, and nodes with higher numbers before lower ones, each counting like one unit of distance.
     * What it adds to balance the order between machines' nodes (node_load) is not visible from outside; on a tie that
     * only it would break, the lowest number is taken here, and verification says where the pages really are.
     *
     * A memory policy that the runtime has set for the task overrules locality, and where mbind is forbidden so is
     * set_mempolicy: then only that policy's nodes can be reached.
     */
    private static final int LOCAL_DISTANCE = 10;
    private static final int REMOTE_DISTANCE = 20;

    private final Observation observation;
    private final NumaNodeSet usable;
    private final NumaNodeSet reachable;

    private Reachability(Observation observation) {
        this.observation = observation;
        var allowed = observation.memsAllowed().and(withMemory(observation.topology()));
        var byPolicy = observation.mbindAllowed()
                ? NumaNodeSet.empty()
                : observation.taskPolicyNodes().and(allowed);
        this.usable = byPolicy.isEmpty() ? allowed : byPolicy;
        boolean everywhere = observation.mbindAllowed() || !byPolicy.isEmpty() || usable.size() == 1;
        this.reachable = everywhere ? usable : touched(observation.cpusAllowed());
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
        if (usable.size() == 1) {
            return usable.contains(numaNode) ? observation.cpusAllowed() : CpuSet.empty();
        }
        var cpus = CpuSet.empty();
        for (var node : observation.topology().numaNodes()) {
            var here = node.cpus().and(observation.cpusAllowed());
            if (!here.isEmpty()
                    && nearestUsable(node).filter(n -> n == numaNode).isPresent()) {
                cpus = cpus.or(here);
            }
        }
        return cpus;
    }

    private NumaNodeSet touched(CpuSet cpus) {
        var touched = new ArrayList<Integer>();
        for (var node : observation.topology().numaNodes()) {
            if (!node.cpus().and(cpus).isEmpty()) {
                nearestUsable(node).ifPresent(touched::add);
            }
        }
        return NumaNodeSet.of(touched.stream().mapToInt(Integer::intValue).toArray());
    }

    private Optional<Integer> nearestUsable(NumaNode from) {
        if (usable.contains(from.index())) {
            return Optional.of(from.index());
        }
        List<NumaNode> nodes = observation.topology().numaNodes();
        Optional<Integer> nearest = Optional.empty();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < nodes.size(); i++) {
            var to = nodes.get(i);
            long score = score(from, to, i);
            if (usable.contains(to.index()) && score < best) {
                nearest = Optional.of(to.index());
                best = score;
            }
        }
        return nearest;
    }

    private static long score(NumaNode from, NumaNode to, int position) {
        int unknown = from.index() == to.index() ? LOCAL_DISTANCE : REMOTE_DISTANCE;
        int distance = position < from.distances().size() ? from.distances().get(position) : unknown;
        int lowerNumber = to.index() < from.index() ? 1 : 0;
        int hasCpus = to.cpus().isEmpty() ? 0 : 1;
        return (long) distance + lowerNumber + hasCpus;
    }
}
