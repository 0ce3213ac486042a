package io.numabufferpool.placement;

/**
 * What a pool asks for, in units: the part of a {@code NumaBufferPool}'s spec that placement depends on. Immutable.
 *
 * @param sizeBytes bytes of buffers to have now
 * @param maxSizeBytes address space to keep for growing, {@code >= sizeBytes}
 * @param bufferBytes one buffer: 4, 8, 16, 32 or 64 KiB
 * @param hugePageMode which pages the buffers file consists of
 * @param hugePageBytes size of those huge pages; the unit in which a NUMA node's share is counted, also under Never
 * @param policy how pages are spread
 * @param nodes which NUMA nodes are wanted
 * @param memoryOnlyNodes true: nodes without CPUs (CXL, HBM) take part
 * @param enforcement whether a spilled segment may serve
 * @param partitionsPerNode clock-sweep partitions on each NUMA node, {@code >= 1}
 */
public record PlacementRequest(
        long sizeBytes,
        long maxSizeBytes,
        long bufferBytes,
        HugePageMode hugePageMode,
        long hugePageBytes,
        PlacementPolicy policy,
        NodeSelection nodes,
        boolean memoryOnlyNodes,
        Enforcement enforcement,
        int partitionsPerNode) {}
