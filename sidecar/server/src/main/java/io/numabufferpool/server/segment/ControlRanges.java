package io.numabufferpool.server.segment;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.layout.SegmentSection;
import io.numabufferpool.placement.PlacementDecision;
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
    public static List<PlacedRange> of(SegmentLayout layout, PlacementDecision decision) {
        var ranges = new ArrayList<PlacedRange>();
        for (var section : layout.sections()) {
            if (section.backed()) {
                ranges.add(place(section, decision, layout.pageBytes()));
            }
        }
        return ranges;
    }

    private static PlacedRange place(SegmentSection section, PlacementDecision decision, long pageBytes) {
        var name = "control file, " + section.name();
        if (section.numaNode() != PartitionShape.NO_SINGLE_NODE) {
            return PlacedRange.onNode(
                    SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes(), section.numaNode());
        }
        if (decision.policy() == PlacementPolicy.None) {
            return PlacedRange.anywhere(SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes());
        }
        long stripeBytes = Math.max(STRIPE_BYTES, pageBytes);
        var shares = spread(section.bytes(), decision, stripeBytes);
        return new PlacedRange(SegmentFile.CONTROL, name, section.offsetBytes(), section.bytes(), stripeBytes, shares);
    }

    /** In turn over the nodes, stripe by stripe; the last one may be short. */
    private static SortedMap<Integer, Long> spread(long bytes, PlacementDecision decision, long stripeBytes) {
        int[] numaNodes = decision.numaNodes().stream().toArray();
        var shares = new TreeMap<Integer, Long>();
        int turn = 0;
        for (long offset = 0; offset < bytes; offset += stripeBytes) {
            shares.merge(numaNodes[turn++ % numaNodes.length], Math.min(stripeBytes, bytes - offset), Long::sum);
        }
        return shares;
    }
}
