package io.numabufferpool.server.segment;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.layout.SegmentSection;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.PlacementPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * From a layout to the ranges of the control file that are populated: descriptors and slots on their node, what everybody
 * uses spread over all of them. Pure.
 */
public final class ControlRanges {
    /** What everybody uses is spread in pieces of this size: small enough that one hot table uses all controllers. */
    private static final long STRIPE_BYTES = 64 << 10;

    private ControlRanges() {}

    /** Ascending by offset. Sections that are kept for later get no memory. */
    public static List<PlacedRange> of(SegmentLayout layout, PlacementPolicy policy, NumaNodeSet numaNodes) {
        var ranges = new ArrayList<PlacedRange>();
        for (var section : layout.sections()) {
            if (section.backed()) {
                // Small sections are a stripe or two: each begins on another node.
                ranges.add(place(section, policy, numaNodes, layout.pageBytes(), ranges.size()));
            }
        }
        return ranges;
    }

    /**
     * Pages for descriptors that a larger segment needs and {@code layout} has not: on their partition's node where it has one.
     * In a striped section they may lie anywhere, as its stripes were dealt out for its length.
     */
    public static List<PlacedRange> added(SegmentLayout layout, SegmentLayout larger) {
        var ranges = new ArrayList<PlacedRange>();
        for (int i = 0; i < layout.partitions().size(); i++) {
            long begin = end(layout, i);
            long end = end(larger, i);
            if (begin < end) {
                var name = "control file, more of partition " + i;
                int numaNode = larger.partitions().get(i).numaNode();
                ranges.add(
                        numaNode == PartitionShape.NO_SINGLE_NODE
                                ? PlacedRange.anywhere(SegmentFile.CONTROL, name, begin, end - begin)
                                : PlacedRange.onNode(SegmentFile.CONTROL, name, begin, end - begin, numaNode));
            }
        }
        return ranges;
    }

    /** Where the last page with a descriptor in use ends. */
    private static long end(SegmentLayout layout, int partition) {
        long bytes = layout.partitions().get(partition).bufferCount() * BufferDescriptorLayout.BYTES;
        return Math.ceilDiv(layout.descriptorsOffset(partition) + bytes, layout.pageBytes()) * layout.pageBytes();
    }

    private static PlacedRange place(
            SegmentSection section, PlacementPolicy policy, NumaNodeSet numaNodes, long pageBytes, int firstTurn) {
        var name = "control file, " + section.name();
        if (section.numaNode() != PartitionShape.NO_SINGLE_NODE) {
            return PlacedRange.onNode(
                    SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes(), section.numaNode());
        }
        if (policy == PlacementPolicy.None) {
            return PlacedRange.anywhere(SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes());
        }
        long stripeBytes = Math.max(STRIPE_BYTES, pageBytes);
        var shares = spread(section.bytes(), numaNodes, stripeBytes, firstTurn);
        return new PlacedRange(SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes(), stripeBytes, shares);
    }

    /** In turn over the nodes, stripe by stripe; the last one may be short. */
    private static SortedMap<Integer, Long> spread(long bytes, NumaNodeSet numaNodes, long stripeBytes, int firstTurn) {
        int[] turns = numaNodes.stream().toArray();
        var shares = new TreeMap<Integer, Long>();
        int turn = firstTurn;
        for (long offset = 0; offset < bytes; offset += stripeBytes) {
            shares.merge(turns[turn++ % turns.length], Math.min(stripeBytes, bytes - offset), Long::sum);
        }
        return shares;
    }
}
