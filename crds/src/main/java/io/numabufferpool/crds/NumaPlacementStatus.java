package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.numabufferpool.placement.PlacementMethod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a pod's segment lies, as its sidecar reports it. Immutable.
 *
 * @param phase how far it is
 * @param method by what right its pages got to their nodes; absent before that
 * @param decidedBy who made the decision in force; absent before there is one
 * @param placed bytes placed in all, such as {@code 4 GiB}
 * @param generation of the segment, hexadecimal: another one is another set of files
 * @param sequence number of the report that this came with
 * @param reportedAt when it came, RFC 3339; rewritten with changes only, so it says how old the numbers are, not whether the
 *     sidecar lives
 * @param sidecar the process that reports; absent where an older one does
 * @param observation what the sidecar sees
 * @param numaNodes what lies on each node
 * @param partitions each partition, where there are at most {@link #PARTITIONS_MAX}; else none
 * @param conditions aspects of its state
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaPlacementStatus(
        @JsonPropertyDescription("How far the segment is.") Phase phase,

        @JsonPropertyDescription("By what right its pages got to their nodes.") @Nullable
        PlacementMethod method,

        @JsonPropertyDescription("Who made the decision in force.") @Nullable
        DecidedBy decidedBy,

        @JsonPropertyDescription("Bytes of buffers placed in all, such as 4 GiB.") @Nullable
        String placed,

        @JsonPropertyDescription("Generation of the segment, hexadecimal; another one is another set of files.")
        @Nullable
        String generation,

        @JsonPropertyDescription("Number of the report that this came with.")
        long sequence,

        @JsonPropertyDescription("When the report came that last changed something here.") @Nullable
        String reportedAt,

        @JsonPropertyDescription("The sidecar process that reports.") @Nullable
        SidecarStatus sidecar,

        @JsonPropertyDescription("What the sidecar sees from inside its container.") @Nullable
        ObservationStatus observation,

        @JsonPropertyDescription("What lies on each NUMA node, as the kernel counts.")
        List<NumaNodeUsage> numaNodes,

        @JsonPropertyDescription("Each partition, where there are few.")
        List<PartitionUsage> partitions,

        @JsonPropertyDescription("Aspects of the segment's state.")
        List<Condition> conditions) {
    /** More partitions than this are summed up per node only, so that the object stays small. */
    public static final int PARTITIONS_MAX = 64;

    public NumaPlacementStatus {
        numaNodes = numaNodes == null ? List.of() : List.copyOf(numaNodes);
        partitions = partitions == null ? List.of() : List.copyOf(partitions);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
