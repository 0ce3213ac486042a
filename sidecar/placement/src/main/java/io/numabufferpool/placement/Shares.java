package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many bytes each node of a set holds: whole huge pages that add up to the pool's size. Nothing depends on anything but
 * the request, the node set and, where it says so, the observation. Immutable.
 */
final class Shares {
    /*
     * Weights are dealt as a weighted interleave deals pages: in cycles of as many pages as the weights add up to, each
     * page to the node that is furthest behind its proportion. So a larger pool takes nothing from any node. The first
     * cycle begins with one page for every node, or a light node of a small pool would hold nothing.
     *
     * Bind and Preferred fill the nodes in the order of their numbers: first what is free, then, because the kernel gives
     * up page cache for it, what is there at all. What is left then goes to a node that is too small for it, and the check
     * of capacities says so.
     */

    /**
     * One 16th of a node is left to the kernel's watermarks and to what others take meanwhile; it is also the step in which
     * a report tells free memory.
     */
    private static final int SPARED_FRACTION = 16;

    private final PlacementRequest request;

    Shares(PlacementRequest request) {
        this.request = request;
    }

    /** Whether the node set alone gives the shares; else free memory or the kernel's weights have a say. */
    boolean followFromNodes() {
        return switch (request.policy()) {
            case Partitioned, Interleave, None -> true;
            case WeightedInterleave -> !request.weights().isEmpty();
            case Bind, Preferred -> false;
        };
    }

    /** Ascending by node; none under policy None. A node that nothing is left for is not among them. */
    List<NodeShare> of(NumaNodeSet numaNodes, NumaTopology topology) {
        int[] nodes = numaNodes.stream().toArray();
        long pages = request.sizeBytes() / request.hugePageBytes();
        return switch (request.policy()) {
            case None -> List.of();
            case Partitioned, Interleave -> shares(nodes, spread(pages, nodes.length));
            case WeightedInterleave -> shares(nodes, deal(pages, weights(nodes, topology)));
            case Bind, Preferred -> shares(nodes, fill(pages, nodes, topology));
        };
    }

    private List<NodeShare> shares(int[] nodes, long[] pages) {
        var shares = new ArrayList<NodeShare>();
        for (int i = 0; i < nodes.length; i++) {
            if (pages[i] > 0) {
                shares.add(new NodeShare(nodes[i], Math.multiplyExact(pages[i], request.hugePageBytes())));
            }
        }
        return shares;
    }

    /** Where the weights of a weighted interleave come from. */
    enum WeightSource {
        SPEC,
        KERNEL,
        EQUAL
    }

    WeightSource weightSource(int[] nodes, NumaTopology topology) {
        if (!request.weights().isEmpty()) {
            return WeightSource.SPEC;
        }
        boolean known = Arrays.stream(nodes).allMatch(node -> kernelWeight(node, topology) > 0);
        return known ? WeightSource.KERNEL : WeightSource.EQUAL;
    }

    int[] weights(int[] nodes, NumaTopology topology) {
        var source = weightSource(nodes, topology);
        return Arrays.stream(nodes)
                .map(node -> switch (source) {
                    case SPEC -> request.weights().getOrDefault(node, PlacementRequest.WEIGHT_DEFAULT);
                    case KERNEL -> kernelWeight(node, topology);
                    case EQUAL -> PlacementRequest.WEIGHT_DEFAULT;
                })
                .toArray();
    }

    private static int kernelWeight(int node, NumaTopology topology) {
        return topology.find(node).map(NumaNode::interleaveWeight).orElse(NumaNode.WEIGHT_UNKNOWN);
    }

    /** Needs at least one page for each. */
    private static long[] deal(long pages, int[] weights) {
        long cycle = Arrays.stream(weights).asLongStream().sum();
        long cycles = pages / cycle;
        var rest = new long[weights.length];
        long dealt = 0;
        if (cycles == 0) {
            Arrays.fill(rest, 1);
            dealt = weights.length;
        }
        for (; dealt < pages % cycle; dealt++) {
            rest[furthestBehind(rest, weights, dealt + 1, cycle)]++;
        }
        for (int i = 0; i < weights.length; i++) {
            rest[i] = Math.addExact(rest[i], Math.multiplyExact(cycles, (long) weights[i]));
        }
        return rest;
    }

    /** In one cycle no node gets more than its weight; on a tie the lowest is served first. */
    private static int furthestBehind(long[] had, int[] weights, long reached, long cycle) {
        int best = -1;
        long bestLag = Long.MIN_VALUE;
        for (int i = 0; i < weights.length; i++) {
            long lag = weights[i] * reached - had[i] * cycle;
            if (had[i] < weights[i] && lag > bestLag) {
                best = i;
                bestLag = lag;
            }
        }
        return best;
    }

    private long[] fill(long pages, int[] nodes, NumaTopology topology) {
        var given = new long[nodes.length];
        long left = pages;
        for (var room : List.of(freePages(nodes, topology), allPages(nodes, topology))) {
            for (int i = 0; i < nodes.length; i++) {
                long more = Math.clamp(room[i] - given[i], 0, left);
                given[i] += more;
                left -= more;
            }
        }
        given[request.policy() == PlacementPolicy.Preferred ? 0 : nodes.length - 1] += left;
        return given;
    }

    private long[] freePages(int[] nodes, NumaTopology topology) {
        return pages(
                nodes,
                topology,
                node -> request.hugePageMode() == HugePageMode.Reserved
                        ? node.freeHugePages(request.hugePageBytes())
                        : (node.freeBytes() - node.memoryBytes() / SPARED_FRACTION) / request.hugePageBytes());
    }

    private long[] allPages(int[] nodes, NumaTopology topology) {
        return pages(
                nodes,
                topology,
                node -> request.hugePageMode() == HugePageMode.Reserved
                        ? node.freeHugePages(request.hugePageBytes())
                        : node.memoryBytes() / request.hugePageBytes());
    }

    private static long[] pages(int[] nodes, NumaTopology topology, java.util.function.ToLongFunction<NumaNode> of) {
        return Arrays.stream(nodes)
                .mapToLong(node -> topology.find(node).map(of::applyAsLong).orElse(0L))
                .map(pages -> Math.max(0, pages))
                .toArray();
    }

    /** As equal as possible, the remainder on the first. */
    static long[] spread(long total, int parts) {
        var result = new long[parts];
        long each = total / parts;
        long more = total % parts;
        for (int i = 0; i < parts; i++) {
            result[i] = each + (i < more ? 1 : 0);
        }
        return result;
    }
}
