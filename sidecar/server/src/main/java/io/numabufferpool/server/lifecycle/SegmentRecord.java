package io.numabufferpool.server.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import io.numabufferpool.placement.PlacementReason;
import io.numabufferpool.server.lifecycle.SidecarState.Decision;
import java.util.ArrayList;
import java.util.List;

/**
 * What lies beside a segment as {@code decision.json}: how it was made and where it shall lie, for the next process of this
 * sidecar. Immutable.
 *
 * @param decision in force; while pages move, the one they move to
 * @param decidedFor what the decision was made for: another input asks for another decision
 * @param poolGeneration of the spec
 * @param spec that the segment follows: the environment of a restarted sidecar may have an older one
 * @param controlNodes nodes that the control file was spread over when it was made; empty once a decision left one of them
 *     out: this process never moves it, the kernel may have
 * @param resized whether it ever had another size: then the control file's stripes are not those of its length
 * @param partitions as they were made, with the node and the number of buffers that they shall have now
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record SegmentRecord(
        NumaPlacementDecision decision,
        String decidedFor,
        long poolGeneration,
        NumaBufferPoolSpec spec,
        String controlNodes,
        boolean resized,
        List<Partition> partitions) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** {@code descriptorNode}: where its descriptors were placed. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Partition(int descriptorNode, int numaNode, long offsetBytes, long bufferCount, long bufferCapacity) {}

    SegmentRecord {
        partitions = List.copyOf(partitions);
    }

    /** Of a segment that is about to be made. */
    static SegmentRecord made(Decision decision, Observation seen, long poolGeneration, NumaBufferPoolSpec spec) {
        var placement = decision.placement();
        return new SegmentRecord(
                PlacementMapping.toApi(placement, decision.by()),
                input(seen),
                poolGeneration,
                spec,
                placement.numaNodes().toString(),
                false,
                placement.partitions().stream()
                        .map(plan -> new Partition(
                                plan.numaNode(),
                                plan.numaNode(),
                                plan.offsetBytes(),
                                plan.bufferCount(),
                                plan.bufferCapacity()))
                        .toList());
    }

    /** The same segment under another decision. */
    SegmentRecord moved(Decision next, Observation seen, long nextGeneration, NumaBufferPoolSpec nextSpec) {
        var plans = next.placement().partitions();
        var moved = new ArrayList<Partition>();
        for (int i = 0; i < partitions.size(); i++) {
            var made = partitions.get(i);
            var plan = plans.get(i);
            moved.add(new Partition(
                    made.descriptorNode(),
                    plan.numaNode(),
                    made.offsetBytes(),
                    plan.bufferCount(),
                    made.bufferCapacity()));
        }
        return new SegmentRecord(
                PlacementMapping.toApi(next.placement(), next.by()),
                input(seen),
                nextGeneration,
                nextSpec,
                spreadNodes().minus(next.placement().numaNodes()).isEmpty() ? controlNodes : "",
                resized || !counts(moved).equals(counts(partitions)),
                moved);
    }

    private static List<Long> counts(List<Partition> partitions) {
        return partitions.stream().map(Partition::bufferCount).toList();
    }

    /** The same with other numbers of buffers. */
    SegmentRecord withCounts(long[] bufferCounts) {
        var changed = new ArrayList<Partition>();
        for (var partition : partitions) {
            changed.add(new Partition(
                    partition.descriptorNode(),
                    partition.numaNode(),
                    partition.offsetBytes(),
                    bufferCounts[changed.size()],
                    partition.bufferCapacity()));
        }
        return new SegmentRecord(decision, decidedFor, poolGeneration, spec, controlNodes, resized, changed);
    }

    /**
     * What asks for another decision when it changes. Free memory does not: the segment uses it up itself. Nor do CPUs: they
     * come and go with the exclusive pods beside this one, and pages that lie right stay reachable without them.
     */
    static String input(Observation seen) {
        return "mems " + seen.memsAllowed() + "; mbind " + seen.mbindAllowed() + "; policy " + seen.taskPolicyNodes();
    }

    /** @throws IllegalArgumentException where a field says nothing that can be */
    Decision toDecision() {
        var plans = new ArrayList<PartitionPlan>();
        for (var partition : partitions) {
            plans.add(new PartitionPlan(
                    plans.size(),
                    partition.numaNode(),
                    partition.offsetBytes(),
                    partition.bufferCount(),
                    partition.bufferCapacity()));
        }
        var placement = new PlacementDecision(
                decision.policy(),
                decision.method(),
                NumaNodeSet.parse(decision.numaNodes()),
                decision.shares().stream()
                        .map(share -> new NodeShare(share.numaNode(), share.bytes()))
                        .toList(),
                plans,
                decision.dropped().stream()
                        .map(one -> new DroppedNodes(
                                NumaNodeSet.parse(one.numaNodes()),
                                PlacementReason.valueOf(one.reason()),
                                one.message() == null ? "" : one.message()))
                        .toList(),
                decision.why());
        return new Decision(placement, decision.decidedBy());
    }

    /** Nodes that the control file is spread over; none: it may lie anywhere. */
    NumaNodeSet spreadNodes() {
        return NumaNodeSet.parse(controlNodes);
    }

    /** For the layout: descriptors lie where they were placed, with that many buffers a partition. */
    List<PartitionShape> shapes() {
        return partitions.stream()
                .map(partition -> new PartitionShape(
                        partition.descriptorNode(),
                        partition.offsetBytes(),
                        partition.bufferCount(),
                        partition.bufferCapacity()))
                .toList();
    }

    String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("the decision cannot be written as JSON", bug);
        }
    }

    /** @throws JsonProcessingException where the text is no record of a segment */
    static SegmentRecord parse(String text) throws JsonProcessingException {
        return JSON.readValue(text, SegmentRecord.class);
    }
}
