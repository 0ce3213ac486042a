package io.numabufferpool.server.segment;

import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * One cell of the placement matrix.
 *
 * @param policy how pages are spread
 * @param nodes which NUMA nodes are wanted
 * @param hugePages which pages
 * @param supply whether the nodes have enough of them
 * @param mbind whether seccomp lets the calls of memory policy through
 */
record MatrixCell(PlacementPolicy policy, NodeSelection nodes, HugePageMode hugePages, Supply supply, Mbind mbind) {
    enum Supply {
        ENOUGH,
        TOO_FEW
    }

    enum Mbind {
        ALLOWED,
        DENIED
    }

    static final long HUGE = 2L << 20;
    private static final long ENOUGH_PAGES = 12;
    private static final int BUFFER = 8192;

    /** Every combination; too few pages only of reserved ones, because other memory would have to be eaten up first. */
    static List<MatrixCell> all(NumaNodeSet two) {
        var cells = new ArrayList<MatrixCell>();
        for (var policy : PlacementPolicy.values()) {
            for (var nodes : List.of(new NodeSelection.Allowed(), new NodeSelection.Listed(two))) {
                for (var pages : HugePageMode.values()) {
                    for (var mbind : Mbind.values()) {
                        cells.add(new MatrixCell(policy, nodes, pages, Supply.ENOUGH, mbind));
                        if (pages == HugePageMode.Reserved) {
                            cells.add(new MatrixCell(policy, nodes, pages, Supply.TOO_FEW, mbind));
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** None and Preferred leave it to the kernel. */
    Enforcement enforcement() {
        return policy == PlacementPolicy.None || policy == PlacementPolicy.Preferred
                ? Enforcement.BestEffort
                : Enforcement.Strict;
    }

    /** {@code freePages}: reserved pages that the wanted nodes have free, all together. */
    PlacementRequest request(long freePages, int firstNode) {
        long bytes = (supply == Supply.ENOUGH ? ENOUGH_PAGES : freePages + 2) * HUGE;
        var weights = new TreeMap<Integer, Integer>();
        if (policy == PlacementPolicy.WeightedInterleave) {
            weights.put(firstNode, 3);
        }
        return new PlacementRequest(
                bytes, bytes, BUFFER, hugePages, HUGE, policy, nodes, false, enforcement(), 2, weights);
    }

    @Override
    public String toString() {
        return "%-18s %-8s %-11s %-7s mbind %s".formatted(policy, nodes.text(), hugePages, supply, mbind);
    }
}
