package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has become of a pool: totals over its pods, the pods that are worst off, and conditions. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaBufferPoolStatus(
        @JsonPropertyDescription("Generation of the spec that this is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("How many pods have the pool.") @Nullable
        PodCounts pods,

        @JsonPropertyDescription("Bytes of buffers placed in all pods together, such as 4 GiB.") @Nullable
        String placed,

        @JsonPropertyDescription("Totals per NUMA node number over all pods.")
        List<NumaNodeUsage> numaNodes,

        @JsonPropertyDescription("The pods that are worst off, at most 20.")
        List<PodUsage> worstPods,

        @JsonPropertyDescription("Aspects of the pool's state.")
        List<Condition> conditions) {
    /** More pods than this would outgrow what one object may hold; the rest is in their NumaPlacements. */
    public static final int WORST_PODS_MAX = 20;

    public NumaBufferPoolStatus {
        numaNodes = numaNodes == null ? List.of() : List.copyOf(numaNodes);
        worstPods = worstPods == null ? List.of() : List.copyOf(worstPods);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
