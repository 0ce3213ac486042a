package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pool should be. What is absent gets the default that the API server would give it, so a spec read from a file means
 * the same as one read from a cluster. Sizes are Kubernetes quantities as written; {@link Quantity} reads them. Immutable.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaBufferPoolSpec(
        @JsonPropertyDescription("Bytes of buffers, per pod: a whole multiple of hugePages.size, such as 4Gi.")
        @Nullable
        String size,

        @JsonPropertyDescription(
                "How far size can grow while the pool is used, a whole multiple of hugePages.size; the sidecar gets memory"
                        + " for it from the start. Absent: size.")
        @Nullable
        String maxSize,

        @JsonPropertyDescription("Bytes of one buffer.") @Default("8Ki")
        BufferSize bufferSize,

        @JsonPropertyDescription("Which pages the buffers lie in.")
        HugePagesSpec hugePages,

        @JsonPropertyDescription("On which NUMA nodes the buffers lie, and how they are spread over them.")
        PlacementSpec placement,

        @JsonPropertyDescription("Clock-sweep partitions on each NUMA node, 1 to 64. Small pools get fewer.")
        @Default("4")
        Integer partitionsPerNode,

        @JsonPropertyDescription("Sessions of client processes.")
        SlotsSpec slots,

        @JsonPropertyDescription("Names of the app containers that see the pool; \"*\" alone means all of them.")
        List<String> containers,

        @JsonPropertyDescription("Whether clients may write to buffers, or only read them.") @Default("ReadWrite")
        Access access,

        @JsonPropertyDescription(
                "Segments that programs make at run time; absent: none. Not available in this version.")
        @Nullable
        DynamicSegmentsSpec dynamicSegments,

        @JsonPropertyDescription(
                "Segments that unmodified programs allocate themselves. Not available in this version.")
        @Nullable
        AdoptSpec adopt,

        @JsonPropertyDescription("The injected sidecar container.") @Nullable
        SidecarSpec sidecar) {
    /** The name that means every app container. */
    public static final String EVERY_CONTAINER = "*";

    public static final int PARTITIONS_PER_NODE_DEFAULT = 4;
    public static final int PARTITIONS_PER_NODE_MAX = 64;

    public NumaBufferPoolSpec {
        bufferSize = bufferSize == null ? BufferSize.KI_8 : bufferSize;
        hugePages = hugePages == null ? HugePagesSpec.DEFAULT : hugePages;
        placement = placement == null ? PlacementSpec.DEFAULT : placement;
        partitionsPerNode = partitionsPerNode == null ? PARTITIONS_PER_NODE_DEFAULT : partitionsPerNode;
        slots = slots == null ? SlotsSpec.DEFAULT : slots;
        containers = containers == null ? List.of(EVERY_CONTAINER) : List.copyOf(containers);
        access = access == null ? Access.ReadWrite : access;
    }

    /** A pool of that size with every default. */
    public static NumaBufferPoolSpec ofSize(String size) {
        return new NumaBufferPoolSpec(
                size,
                null,
                BufferSize.KI_8,
                HugePagesSpec.DEFAULT,
                PlacementSpec.DEFAULT,
                PARTITIONS_PER_NODE_DEFAULT,
                SlotsSpec.DEFAULT,
                List.of(EVERY_CONTAINER),
                Access.ReadWrite,
                null,
                null,
                null);
    }

    /** The same with another placement. */
    public NumaBufferPoolSpec withPlacement(PlacementSpec other) {
        return new NumaBufferPoolSpec(
                size,
                maxSize,
                bufferSize,
                hugePages,
                other,
                partitionsPerNode,
                slots,
                containers,
                access,
                dynamicSegments,
                adopt,
                sidecar);
    }

    /** The same with other huge pages. */
    public NumaBufferPoolSpec withHugePages(HugePagesSpec other) {
        return new NumaBufferPoolSpec(
                size,
                maxSize,
                bufferSize,
                other,
                placement,
                partitionsPerNode,
                slots,
                containers,
                access,
                dynamicSegments,
                adopt,
                sidecar);
    }
}
