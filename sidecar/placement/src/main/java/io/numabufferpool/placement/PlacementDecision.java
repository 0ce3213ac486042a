package io.numabufferpool.placement;

import java.util.List;

/**
 * Where a segment goes. Same input, same decision, byte for byte. Immutable.
 *
 * @param policy how pages are spread
 * @param method the rung of the ladder that gets them there
 * @param numaNodes the nodes that hold the segment
 * @param shares bytes wanted on each node, ascending by node; they add up to the request's size. Empty under policy None
 * @param partitions every clock-sweep partition, ascending by index and by offset
 * @param dropped nodes that were left out, with the reason, in the order of {@link PlacementReason}
 * @param why the decision in one or two sentences
 */
public record PlacementDecision(
        PlacementPolicy policy,
        PlacementMethod method,
        NumaNodeSet numaNodes,
        List<NodeShare> shares,
        List<PartitionPlan> partitions,
        List<DroppedNodes> dropped,
        String why)
        implements PlacementOutcome {

    /** Bytes of buffers wanted on one NUMA node: whole (huge) pages. */
    public record NodeShare(int numaNode, long bytes) {}

    /** The node number of a partition whose buffers lie on no single node (Interleave, None). */
    public static final int NO_SINGLE_NODE = -1;

    /**
     * One partition.
     *
     * @param partition 0-based index
     * @param numaNode the node of its descriptors and buffers, or {@link #NO_SINGLE_NODE}
     * @param offsetBytes where its buffers begin in the buffers file; a node's first partition begins on a huge page
     * @param bufferCount buffers it has now
     * @param bufferCapacity buffers it has address space for, {@code >= bufferCount}
     */
    public record PartitionPlan(int partition, int numaNode, long offsetBytes, long bufferCount, long bufferCapacity) {}

    /**
     * Nodes that {@code Allowed} or {@code All} left out for one reason.
     *
     * @param numaNodes which, never empty
     * @param reason why
     * @param message the same in a sentence, with what would bring them in
     */
    public record DroppedNodes(NumaNodeSet numaNodes, PlacementReason reason, String message) {}

    public PlacementDecision {
        shares = List.copyOf(shares);
        partitions = List.copyOf(partitions);
        dropped = List.copyOf(dropped);
    }
}
