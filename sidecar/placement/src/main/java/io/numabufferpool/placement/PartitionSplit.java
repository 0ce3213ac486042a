package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * From a request and a node set to the bytes on each node and the clock-sweep partitions. Both sides of the report compute it,
 * so a decision that names policy and nodes says everything.
 */
final class PartitionSplit {
    /*
     * The buffers file is maxSize long. Every node (or, where no partition lies on a single node, the file as a whole) owns
     * one range of it that begins on a huge page, in the order of the nodes; the range is cut into the node's partitions.
     *
     * Without room to grow (maxSize == size) the cut is by buffers: all of the file is populated, so a partition may begin
     * inside a huge page of its node. With room to grow each partition has populated buffers in front and a hole behind; it
     * is cut by whole pages then, or the populated parts would need more pages than the share.
     */

    /** A sweep takes up to 64 candidates at a time; with fewer than two batches a partition would be one batch long. */
    static final int BUFFERS_PER_PARTITION_MIN = 128;

    private final PlacementRequest request;
    private final NumaNodeSet numaNodes;

    PartitionSplit(PlacementRequest request, NumaNodeSet numaNodes) {
        this.request = request;
        this.numaNodes = numaNodes;
    }

    /** Whole huge pages on every node, as equal as possible, the remainder on the lowest nodes; they add up to the size. */
    List<NodeShare> shares() {
        var shares = new ArrayList<NodeShare>();
        var pages = spread(request.sizeBytes() / request.hugePageBytes(), numaNodes.size());
        int index = 0;
        for (int numaNode : numaNodes.stream().toArray()) {
            shares.add(new NodeShare(numaNode, pages[index++] * request.hugePageBytes()));
        }
        return shares;
    }

    /** Partitions on each node: what was asked for, or fewer, so that each has a sensible number of buffers. */
    int partitionsPerNode() {
        long pagesMin = request.sizeBytes() / request.hugePageBytes() / numaNodes.size();
        long buffersMin = pagesMin * buffersPerPage();
        long possible = buffersMin / BUFFERS_PER_PARTITION_MIN;
        if (growable()) {
            possible = Math.min(possible, pagesMin);
        }
        return Math.clamp(possible, 1, request.partitionsPerNode());
    }

    /** Ascending by index and by offset; their capacities cover the file without a gap. */
    List<PartitionPlan> partitions() {
        boolean singleNodes = request.policy() == PlacementPolicy.Partitioned;
        int rangeCount = singleNodes ? numaNodes.size() : 1;
        int perRange = partitionsPerNode() * (singleNodes ? 1 : numaNodes.size());
        var nodeOf = numaNodes.stream().toArray();
        var sizePages = spread(request.sizeBytes() / request.hugePageBytes(), rangeCount);
        var maxPages = spread(request.maxSizeBytes() / request.hugePageBytes(), rangeCount);
        var partitions = new ArrayList<PartitionPlan>();
        long offsetBytes = 0;
        for (int range = 0; range < rangeCount; range++) {
            int numaNode = singleNodes ? nodeOf[range] : PlacementDecision.NO_SINGLE_NODE;
            int parts = (int) Math.clamp(perRange, 1, units(sizePages[range]));
            var counts = buffers(sizePages[range], parts);
            var capacities = buffers(maxPages[range], parts);
            for (int i = 0; i < parts; i++) {
                partitions.add(new PartitionPlan(partitions.size(), numaNode, offsetBytes, counts[i], capacities[i]));
                offsetBytes = Math.addExact(offsetBytes, Math.multiplyExact(capacities[i], request.bufferBytes()));
            }
        }
        return partitions;
    }

    /** Of what is cut, pages or buffers: no partition has fewer than one. */
    private long units(long pages) {
        return growable() ? pages : Math.multiplyExact(pages, buffersPerPage());
    }

    private long[] buffers(long pages, int parts) {
        var counts = spread(units(pages), parts);
        if (growable()) {
            for (int i = 0; i < parts; i++) {
                counts[i] = Math.multiplyExact(counts[i], buffersPerPage());
            }
        }
        return counts;
    }

    private long buffersPerPage() {
        return request.hugePageBytes() / request.bufferBytes();
    }

    private boolean growable() {
        return request.maxSizeBytes() > request.sizeBytes();
    }

    private static long[] spread(long total, int parts) {
        var result = new long[parts];
        long each = total / parts;
        long more = total % parts;
        for (int i = 0; i < parts; i++) {
            result[i] = each + (i < more ? 1 : 0);
        }
        return result;
    }
}
