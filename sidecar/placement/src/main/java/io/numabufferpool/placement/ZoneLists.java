package io.numabufferpool.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order the kernel looks for memory when a thread on a NUMA node touches a page: worked out from the topology as
 * build_zonelists and find_next_best_node (mm/page_alloc.c) do. Immutable.
 */
final class ZoneLists {
    /*
     * The node itself comes first. The others follow by distance; on equal distances a node without CPUs comes before one
     * with, and a higher number before a lower one, each counting like one unit of distance. What is still equal goes to
     * the node that is less often the first of its distance in the lists of lower-numbered nodes: that is how the kernel
     * keeps several nodes from falling back to the same one. Then the lowest number. Nodes without memory are in no list.
     *
     * The kernel fixes the order when it boots; a node that is hot-added later may stand elsewhere.
     */
    private static final int LOCAL_DISTANCE = 10;
    private static final int REMOTE_DISTANCE = 20;

    private record Candidate(int numaNode, int distance, int score, int load) {
        private static final Comparator<Candidate> KERNEL_ORDER = Comparator.comparingInt(Candidate::score)
                .thenComparingInt(Candidate::load)
                .thenComparingInt(Candidate::numaNode);
    }

    private final Map<Integer, List<Integer>> orders = new HashMap<>();

    ZoneLists(NumaTopology topology) {
        Map<Integer, Integer> loads = new HashMap<>();
        for (var from : topology.numaNodes()) {
            var order = new ArrayList<Integer>();
            int previousDistance = distance(from, from, topology.numaNodes().indexOf(from));
            for (var candidate : candidates(topology, from, loads)) {
                if (candidate.distance() != previousDistance) {
                    loads.merge(candidate.numaNode(), 1, Integer::sum);
                }
                previousDistance = candidate.distance();
                order.add(candidate.numaNode());
            }
            orders.put(from.index(), order);
        }
    }

    /** Node numbers, best first. */
    List<Integer> of(int numaNode) {
        return List.copyOf(orders.getOrDefault(numaNode, List.of()));
    }

    private static List<Candidate> candidates(NumaTopology topology, NumaNode from, Map<Integer, Integer> loads) {
        var candidates = new ArrayList<Candidate>();
        for (int i = 0; i < topology.numaNodes().size(); i++) {
            var to = topology.numaNodes().get(i);
            if (to.memoryBytes() > 0) {
                int distance = distance(from, to, i);
                int score = distance
                        + (to.index() < from.index() ? 1 : 0)
                        + (to.cpus().isEmpty() ? 0 : 1);
                boolean local = to.index() == from.index();
                candidates.add(new Candidate(
                        to.index(), distance, local ? Integer.MIN_VALUE : score, loads.getOrDefault(to.index(), 0)));
            }
        }
        candidates.sort(Candidate.KERNEL_ORDER);
        return candidates;
    }

    private static int distance(NumaNode from, NumaNode to, int position) {
        if (position < from.distances().size()) {
            return from.distances().get(position);
        }
        return from.index() == to.index() ? LOCAL_DISTANCE : REMOTE_DISTANCE;
    }
}
