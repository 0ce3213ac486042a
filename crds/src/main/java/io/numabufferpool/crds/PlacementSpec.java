package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.PlacementPolicy;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** On which NUMA nodes the buffers lie, and how they are spread over them: {@code spec.placement}. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacementSpec(
        @JsonPropertyDescription(
                "Partitioned: every partition wholly on one NUMA node. Interleave: page by page in turn. WeightedInterleave: in"
                        + " the proportion of weights. Bind: one node filled after the other. Preferred: the same, then anywhere"
                        + " (BestEffort). None: the kernel's first touch, to compare with (BestEffort).")
        @Default("Partitioned")
        PlacementPolicy policy,

        @JsonPropertyDescription(
                "Allowed: the nodes that the pod may use and can reach. All: every node of the machine. Or a list such as"
                        + " \"0-1,3\".")
        @Default("Allowed")
        String nodes,

        @JsonPropertyDescription("Whether nodes with memory but without CPUs (CXL, HBM) take part.") @Default("Exclude")
        MemoryOnlyNodes memoryOnlyNodes,

        @JsonPropertyDescription(
                "Weight of each node under WeightedInterleave, 1 to 255; a node that is not named weighs 1. Absent: the kernel's"
                        + " weights, else equal ones.")
        @Nullable
        Map<String, Integer> weights,

        @JsonPropertyDescription(
                "Also bind clients' threads to the CPUs of the nodes that hold the pool, as far as their cpuset has any.")
        @Default("false")
        Boolean bindCpus,

        @JsonPropertyDescription(
                "Strict: never run on a segment that lies elsewhere than decided. BestEffort: run, and say so.")
        @Default("Strict")
        Enforcement enforcement,

        @JsonPropertyDescription(
                "Shared: pods of one machine share its NUMA nodes. Isolated, disjoint nodes, is not available in this version.")
        @Default("Shared")
        Sharing sharing,

        @JsonPropertyDescription(
                "Bandwidth: all memory controllers. Latency, as few nodes as hold the pool, is not available in this version.")
        @Default("Bandwidth")
        Goal goal) {
    public static final String NODES_DEFAULT = "Allowed";
    public static final PlacementSpec DEFAULT = of(PlacementPolicy.Partitioned, NODES_DEFAULT, Enforcement.Strict);

    public PlacementSpec {
        policy = policy == null ? PlacementPolicy.Partitioned : policy;
        nodes = nodes == null ? NODES_DEFAULT : nodes;
        memoryOnlyNodes = memoryOnlyNodes == null ? MemoryOnlyNodes.Exclude : memoryOnlyNodes;
        weights = weights == null ? null : sorted(weights);
        bindCpus = bindCpus == null ? Boolean.FALSE : bindCpus;
        enforcement = enforcement == null ? Enforcement.Strict : enforcement;
        sharing = sharing == null ? Sharing.Shared : sharing;
        goal = goal == null ? Goal.Bandwidth : goal;
    }

    /** That placement with every other default. */
    public static PlacementSpec of(PlacementPolicy policy, String nodes, Enforcement enforcement) {
        return new PlacementSpec(
                policy, nodes, MemoryOnlyNodes.Exclude, null, false, enforcement, Sharing.Shared, Goal.Bandwidth);
    }

    private static SortedMap<String, Integer> sorted(Map<String, Integer> weights) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(weights));
    }
}
