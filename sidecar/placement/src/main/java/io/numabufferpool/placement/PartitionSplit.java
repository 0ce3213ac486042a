package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * From a request and the bytes on each node to the clock-sweep partitions. Both sides of the report compute it, so a decision
 * that names policy, nodes and shares says everything.
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
    private final List<NodeShare> shares;

    PartitionSplit(PlacementRequest request, NumaNodeSet numaNodes, List<NodeShare> shares) {
        this.request = request;
        this.numaNodes = numaNodes;
        this.shares = shares;
    }

    /** Partitions on each node: what was asked for, or fewer, so that each has a sensible number of buffers. */
    int partitionsPerNode() {
        return partitionsFor(request.sizeBytes() / request.hugePageBytes() / numaNodes.size());
    }

    private int partitionsFor(long pages) {
        long possible = pages * buffersPerPage() / BUFFERS_PER_PARTITION_MIN;
        if (growable()) {
            possible = Math.min(possible, pages);
        }
        return Math.clamp(possible, 1, request.partitionsPerNode());
    }

    /** Ascending by index and by offset; their capacities cover the file without a gap. */
    List<PartitionPlan> partitions() {
        boolean singleNodes = request.policy().partitionsOnSingleNodes();
        int rangeCount = singleNodes ? numaNodes.size() : 1;
        var nodeOf = numaNodes.stream().toArray();
        var sizePages = singleNodes ? sharePages() : new long[] {request.sizeBytes() / request.hugePageBytes()};
        var maxPages = capacityPages(sizePages);
        var partitions = new ArrayList<PartitionPlan>();
        long offsetBytes = 0;
        for (int range = 0; range < rangeCount; range++) {
            int numaNode = singleNodes ? nodeOf[range] : PlacementDecision.NO_SINGLE_NODE;
            int perRange = singleNodes ? partitionsOf(sizePages[range]) : partitionsPerNode() * numaNodes.size();
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

    private long[] sharePages() {
        return shares.stream()
                .mapToLong(share -> share.bytes() / request.hugePageBytes())
                .toArray();
    }

    /** Pages of address space by range. Equal shares stay equal; others grow by equal amounts. */
    private long[] capacityPages(long[] sizePages) {
        long maxPages = request.maxSizeBytes() / request.hugePageBytes();
        if (!request.policy().fillsInOrder()) {
            return Shares.spread(maxPages, sizePages.length);
        }
        long sumPages = 0;
        for (long pages : sizePages) {
            sumPages += pages;
        }
        var capacities = Shares.spread(maxPages - sumPages, sizePages.length);
        for (int i = 0; i < sizePages.length; i++) {
            capacities[i] += sizePages[i];
        }
        return capacities;
    }

    /** Partitions of one node's range: as many on every node where the shares are equal. */
    private int partitionsOf(long pages) {
        return request.policy().fillsInOrder() ? partitionsFor(pages) : partitionsPerNode();
    }

    /** Of what is cut, pages or buffers: no partition has fewer than one. */
    private long units(long pages) {
        return growable() ? pages : Math.multiplyExact(pages, buffersPerPage());
    }

    private long[] buffers(long pages, int parts) {
        var counts = Shares.spread(units(pages), parts);
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
}
