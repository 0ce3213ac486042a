package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.server.segment.BufferRanges;
import io.numabufferpool.server.segment.ControlRanges;
import io.numabufferpool.server.segment.PlacedRange;
import java.util.ArrayList;
import java.util.List;

/** From the record of a segment to its layout and to the ranges that are counted. Pure. */
final class SegmentPlan {
    private final NumaBufferPoolSpec spec;
    private final PlacementRequest request;
    private final List<Integer> machineNodes;

    /** {@code observation}: of the machine that the segment is on. */
    SegmentPlan(NumaBufferPoolSpec spec, Observation observation) {
        this.spec = spec;
        this.request = PlacementMapping.toRequest(spec);
        this.machineNodes = observation.topology().numaNodes().stream()
                .filter(node -> node.memoryBytes() > 0)
                .map(NumaNode::index)
                .toList();
    }

    SegmentLayout layout(SegmentRecord record) {
        return SegmentLayout.of(
                record.shapes(),
                spec.bufferSize().bytes(),
                request.maxSizeBytes(),
                spec.slots().max(),
                machineNodes);
    }

    /**
     * Every range with a frame for each page, where {@code populated} says which buffers have one. The control file cannot be
     * moved, so once a decision left one of its nodes out it may lie anywhere.
     */
    List<PlacedRange> ranges(SegmentRecord record, PlacementDecision populated) {
        var ranges = new ArrayList<PlacedRange>();
        boolean anywhere = record.spreadNodes().isEmpty();
        var nodes = anywhere ? populated.numaNodes() : record.spreadNodes();
        ControlRanges.of(layout(record), record.decision().policy(), nodes).forEach(range -> {
            boolean dealtOutAnew = record.resized() && range.striped();
            ranges.add(anywhere || dealtOutAnew ? range.anywhere() : range);
        });
        ranges.addAll(BufferRanges.of(populated, request.bufferBytes(), request.hugePageBytes()));
        return ranges;
    }

    /** The decision with other numbers of buffers. */
    static PlacementDecision withCounts(PlacementDecision decision, long[] bufferCounts) {
        var partitions = new ArrayList<PartitionPlan>();
        for (var plan : decision.partitions()) {
            partitions.add(new PartitionPlan(
                    plan.partition(),
                    plan.numaNode(),
                    plan.offsetBytes(),
                    bufferCounts[plan.partition()],
                    plan.bufferCapacity()));
        }
        return new PlacementDecision(
                decision.policy(),
                decision.method(),
                decision.numaNodes(),
                decision.shares(),
                partitions,
                decision.dropped(),
                decision.why());
    }

    /** Of each partition the smaller number of the two. */
    static PlacementDecision common(PlacementDecision one, long[] bufferCounts) {
        var counts = new long[bufferCounts.length];
        for (var plan : one.partitions()) {
            counts[plan.partition()] = Math.min(plan.bufferCount(), bufferCounts[plan.partition()]);
        }
        return withCounts(one, counts);
    }
}
