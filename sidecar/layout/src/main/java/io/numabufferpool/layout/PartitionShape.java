package io.numabufferpool.layout;

/**
 * One partition of a segment to be made.
 *
 * @param numaNode the node its buffers and descriptors shall lie on; -1: no single node
 * @param offsetBytes where its buffers begin in the buffers file
 * @param bufferCount buffers it has now, {@code >= 1}
 * @param bufferCapacity buffers it keeps address space for, {@code >= bufferCount}
 */
public record PartitionShape(int numaNode, long offsetBytes, long bufferCount, long bufferCapacity) {
    public static final int NO_SINGLE_NODE = -1;

    public PartitionShape {
        if (numaNode < NO_SINGLE_NODE || offsetBytes < 0) {
            throw new IllegalArgumentException("partition on NUMA node " + numaNode + " at offset " + offsetBytes
                    + ": the node must be -1 or higher, the offset 0 or higher");
        }
        if (bufferCount < 1
                || bufferCapacity < bufferCount
                || bufferCapacity > BufferNumber.BUFFERS_PER_PARTITION_MAX) {
            throw new IllegalArgumentException("partition of " + bufferCount + " buffers with room for "
                    + bufferCapacity + ": must be 1 <= bufferCount <= bufferCapacity <= "
                    + BufferNumber.BUFFERS_PER_PARTITION_MAX);
        }
    }
}
