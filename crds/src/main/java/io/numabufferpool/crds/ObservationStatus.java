package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a sidecar sees from inside its container, as it travels. Lists of numbers are the kernel's: {@code 0-1,3}. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ObservationStatus(
        @JsonPropertyDescription("The machine's NUMA nodes.")
        List<ObservedNode> numaNodes,

        @JsonPropertyDescription("Mems_allowed_list of the sidecar.")
        String memsAllowed,

        @JsonPropertyDescription("Cpus_allowed_list of the sidecar.")
        String cpusAllowed,

        @JsonPropertyDescription("Whether seccomp lets mbind through.")
        boolean mbindAllowed,

        @JsonPropertyDescription("Nodes of a memory policy that the runtime had set; empty where there is none.")
        String taskPolicyNodes,

        @JsonPropertyDescription("Whether the kernel knows MADV_COLLAPSE.")
        boolean collapseSupported,

        @JsonPropertyDescription("Release of the kernel.") String kernelRelease,

        @JsonPropertyDescription("The container's memory limit; absent where there is none.") @Nullable
        Long memoryLimitBytes,

        @JsonPropertyDescription("What the attached clients may use, all together; absent before the first.") @Nullable
        Clients clients) {
    public ObservationStatus {
        numaNodes = numaNodes == null ? List.of() : List.copyOf(numaNodes);
        taskPolicyNodes = taskPolicyNodes == null ? "" : taskPolicyNodes;
    }

    /** One NUMA node of the machine. {@code freeBytes} is coarse, so that it does not change all the time. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ObservedNode(
            @JsonPropertyDescription("The kernel's number of the node.")
            int numaNode,

            @JsonPropertyDescription("Its CPUs; empty for a memory-only node.")
            String cpus,

            @JsonPropertyDescription("Its memory.") long memoryBytes,

            @JsonPropertyDescription("Its free memory, in sixteenths of all.")
            long freeBytes,

            @JsonPropertyDescription("Its reserved huge pages.")
            List<HugePages> hugePages,

            @JsonPropertyDescription("Distances to the nodes in their order.")
            List<Integer> distances,

            @JsonPropertyDescription("The kernel's weight for weighted interleaving; absent where it has none.")
            @Nullable
            Integer interleaveWeight) {
        public ObservedNode {
            cpus = cpus == null ? "" : cpus;
            hugePages = hugePages == null ? List.of() : List.copyOf(hugePages);
            distances = distances == null ? List.of() : List.copyOf(distances);
        }
    }

    /** Reserved huge pages of one size on one node: pages, not bytes. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record HugePages(
            @JsonPropertyDescription("Bytes of one page.") long pageBytes,
            @JsonPropertyDescription("Pages reserved.") long total,

            @JsonPropertyDescription("Pages that the segment can have, or has.")
            long free,

            @JsonPropertyDescription("Pages beyond the reservation.")
            long surplus) {}

    /** The attached clients. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Clients(
            @JsonPropertyDescription("Attached processes.") int count,

            @JsonPropertyDescription("CPUs that any of them may use.")
            String cpusAllowed,

            @JsonPropertyDescription("NUMA nodes whose memory any of them may use.")
            String memsAllowed) {}
}
