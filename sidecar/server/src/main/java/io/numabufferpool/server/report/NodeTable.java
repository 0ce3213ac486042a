package io.numabufferpool.server.report;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.PartitionUsage;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.pool.PoolStatistics;
import io.numabufferpool.pool.PoolStatistics.Buffers;
import io.numabufferpool.pool.PoolStatistics.Counters;
import io.numabufferpool.server.lifecycle.SidecarState;
import io.numabufferpool.server.segment.PlacedRange;
import io.numabufferpool.server.segment.RangePlacement;
import io.numabufferpool.server.segment.SegmentFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** From the kernel's counts and the pool's statistics to the rows of the per-node table. Pure. */
final class NodeTable {
    private static final Buffers NO_BUFFERS = new Buffers(0, 0, 0, 0, 0);
    private static final Counters NO_COUNTERS = new Counters(0, 0, 0, 0, 0, 0, 0, 0);

    private NodeTable() {}

    /**
     * One row for every node that pages were wanted on or are on, ascending. Buffers that lie on no single node
     * (Interleave, None) have a row of node -1 for their use, because their pages are counted, not named.
     */
    static List<NumaNodeUsage> rows(SidecarState state, Optional<PoolStatistics> statistics) {
        var wanted = wantedBytes(state);
        var placed = new TreeMap<Integer, Long>();
        var spilled = new TreeMap<Integer, Long>();
        var huge = new TreeMap<Integer, Long>();
        for (var range : state.ranges()) {
            if (range.range().file() == SegmentFile.BUFFERS) {
                range.placedBytes().forEach((numaNode, bytes) -> placed.merge(numaNode, bytes, Long::sum));
                range.spilledBytes().forEach((numaNode, bytes) -> spilled.merge(numaNode, bytes, Long::sum));
                hugeBytes(range).forEach((numaNode, bytes) -> huge.merge(numaNode, bytes, Long::sum));
            }
        }
        var numaNodes = new TreeSet<Integer>(wanted.keySet());
        numaNodes.addAll(placed.keySet());
        statistics.ifPresent(pool -> pool.numaNodes().stream()
                .filter(usage -> usage.buffers().total() > 0)
                .forEach(usage -> numaNodes.add(usage.numaNode())));
        var rows = new ArrayList<NumaNodeUsage>();
        for (int numaNode : numaNodes) {
            var usage = statistics.flatMap(pool -> pool.numaNodes().stream()
                    .filter(row -> row.numaNode() == numaNode)
                    .findFirst());
            var buffers = usage.map(PoolStatistics.NodeUsage::buffers).orElse(NO_BUFFERS);
            var counters = usage.map(PoolStatistics.NodeUsage::counters).orElse(NO_COUNTERS);
            rows.add(NumaNodeUsage.of(
                    numaNode,
                    wanted.getOrDefault(numaNode, 0L),
                    placed.getOrDefault(numaNode, 0L),
                    spilled.getOrDefault(numaNode, 0L),
                    huge.getOrDefault(numaNode, 0L),
                    buffers.total(),
                    buffers.used(),
                    buffers.dirty(),
                    buffers.pinned(),
                    counters.hits(),
                    counters.misses(),
                    counters.evictions()));
        }
        return rows;
    }

    private static SortedMap<Integer, Long> wantedBytes(SidecarState state) {
        var wanted = new TreeMap<Integer, Long>();
        state.decision()
                .ifPresent(decision ->
                        decision.placement().shares().forEach(share -> wanted.put(share.numaNode(), share.bytes())));
        return wanted;
    }

    /**
     * Huge bytes by node. The kernel counts them by mapping, so in a range that lies on several nodes and is not huge
     * throughout they are apportioned by the bytes that each node has.
     */
    private static SortedMap<Integer, Long> hugeBytes(RangePlacement range) {
        var huge = new TreeMap<Integer, Long>();
        long present = range.presentBytes();
        if (present == 0) {
            return huge;
        }
        long counted = Math.min(range.hugeBytes(), present);
        range.placedBytes()
                .forEach((numaNode, bytes) -> huge.put(
                        numaNode, counted == present ? bytes : Math.round((double) bytes * counted / present)));
        return huge;
    }

    /** One row a partition. */
    static List<PartitionUsage> partitions(
            PlacementDecision decision, long bufferBytes, List<RangePlacement> ranges, PoolStatistics statistics) {
        var rows = new ArrayList<PartitionUsage>();
        for (var plan : decision.partitions()) {
            long bytes = plan.bufferCount() * bufferBytes;
            long used = statistics.partitions().stream()
                    .filter(usage -> usage.partition() == plan.partition())
                    .mapToLong(usage -> usage.buffers().used())
                    .sum();
            long placed = ranges.stream()
                    .filter(range -> covers(range.range(), plan.offsetBytes()))
                    .mapToLong(range -> placedOnItsNode(range, plan.numaNode(), bytes))
                    .sum();
            rows.add(new PartitionUsage(plan.partition(), plan.numaNode(), bytes, placed, plan.bufferCount(), used));
        }
        return rows;
    }

    /** The kernel counts ranges, which hold all partitions of a node: each has its proportion of what is there. */
    private static long placedOnItsNode(RangePlacement range, int numaNode, long bytes) {
        if (numaNode == PlacementDecision.NO_SINGLE_NODE || range.asWanted()) {
            return bytes;
        }
        long there = range.placedBytes().getOrDefault(numaNode, 0L);
        return Math.round((double) bytes * there / range.range().bytes());
    }

    private static boolean covers(PlacedRange range, long offsetBytes) {
        return range.file() == SegmentFile.BUFFERS
                && offsetBytes >= range.offsetBytes()
                && offsetBytes < range.offsetBytes() + range.bytes();
    }
}
