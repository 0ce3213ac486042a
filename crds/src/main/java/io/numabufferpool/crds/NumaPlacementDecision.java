package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.placement.PlacementPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decision as it travels. It has no list of partitions, which could be long: they follow from pool and node set, and
 * {@link PlacementMapping} works them out. Immutable.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaPlacementDecision(
        @JsonPropertyDescription("How pages are spread.") PlacementPolicy policy,

        @JsonPropertyDescription("By what right pages get to their node.")
        PlacementMethod method,

        @JsonPropertyDescription("The nodes that hold the segment, as a list such as 0-1,3.")
        String numaNodes,

        @JsonPropertyDescription("Bytes wanted on each node; none under policy None.")
        List<Share> shares,

        @JsonPropertyDescription("Number of clock-sweep partitions in all.")
        int partitionCount,

        @JsonPropertyDescription("Nodes that were left out, with the reason.")
        List<Dropped> dropped,

        @JsonPropertyDescription("The decision in words.") String why,
        @JsonPropertyDescription("Who decided.") DecidedBy decidedBy) {
    public NumaPlacementDecision {
        shares = shares == null ? List.of() : List.copyOf(shares);
        dropped = dropped == null ? List.of() : List.copyOf(dropped);
    }

    /** Bytes of buffers wanted on one node. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Share(
            @JsonPropertyDescription("The kernel's number of the node.")
            int numaNode,

            @JsonPropertyDescription("Bytes wanted there.") long bytes) {}

    /** Nodes that were left out for one reason. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Dropped(
            @JsonPropertyDescription("Which, as a list such as 0-1,3.")
            String numaNodes,

            @JsonPropertyDescription("Why, in one CamelCase word.")
            String reason,

            @JsonPropertyDescription("Why, in a sentence.") @Nullable
            String message) {}
}
