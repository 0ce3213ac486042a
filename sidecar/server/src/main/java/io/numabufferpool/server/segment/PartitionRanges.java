package io.numabufferpool.server.segment;

import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.List;

/** The populated pages of the buffers file, partition by partition: what is counted where {@code numapool verify} asks. Pure. */
public final class PartitionRanges {
    private PartitionRanges() {}

    /**
     * One range a partition, ascending, none overlapping another. A page belongs to the partition that it begins in, so a
     * partition that is smaller than a page may have none and is left out.
     *
     * @param pageBytes the (huge) page size
     */
    public static List<PlacedRange> of(PlacementDecision decision, long bufferBytes, long pageBytes) {
        var ranges = new ArrayList<PlacedRange>();
        for (var partition : decision.partitions()) {
            long begin = Math.ceilDiv(partition.offsetBytes(), pageBytes) * pageBytes;
            long end = Math.ceilDiv(partition.offsetBytes() + partition.bufferCount() * bufferBytes, pageBytes)
                    * pageBytes;
            if (end > begin) {
                ranges.add(range(partition, begin, end - begin));
            }
        }
        return ranges;
    }

    private static PlacedRange range(PartitionPlan partition, long begin, long bytes) {
        var name = "partition " + partition.partition();
        return partition.numaNode() == PlacementDecision.NO_SINGLE_NODE
                ? PlacedRange.anywhere(SegmentFile.BUFFERS, name, begin, bytes)
                : PlacedRange.onNode(SegmentFile.BUFFERS, name, begin, bytes, partition.numaNode());
    }
}
