package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the pods that are worst off. Immutable.
 *
 * @param name of the pod
 * @param kubeNode where it runs
 * @param phase of its segment
 * @param reason one CamelCase word; absent where nothing is wrong
 * @param message why it is listed
 * @param numaNodes its own table, the first {@link #NODES_MAX} rows of it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodUsage(
        @JsonPropertyDescription("Name of the pod.") String name,

        @JsonPropertyDescription("The Kubernetes node it runs on.") @Nullable
        String kubeNode,

        @JsonPropertyDescription("How far its segment is.") @Nullable
        Phase phase,

        @JsonPropertyDescription("Why it is listed, in one CamelCase word.") @Nullable
        String reason,

        @JsonPropertyDescription("Why it is listed, in a sentence.") @Nullable
        String message,

        @JsonPropertyDescription("What lies on each NUMA node.")
        List<NumaNodeUsage> numaNodes) {
    /** More rows, times the pods listed, would outgrow what one object may hold; all are in the pod's NumaPlacement. */
    public static final int NODES_MAX = 64;

    public PodUsage {
        numaNodes = numaNodes == null
                ? List.of()
                : List.copyOf(numaNodes.subList(0, Math.min(NODES_MAX, numaNodes.size())));
    }
}
