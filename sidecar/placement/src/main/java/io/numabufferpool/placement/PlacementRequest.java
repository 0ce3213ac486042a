package io.numabufferpool.placement;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

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
 * @param weights by NUMA node, for WeightedInterleave only; a node that is not named has {@link #WEIGHT_DEFAULT}. Empty: the
 *     kernel's weights where it has them, else equal ones
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
        int partitionsPerNode,
        SortedMap<Integer, Integer> weights) {
    /** What a node weighs that nobody gave a weight: the kernel's default too. */
    public static final int WEIGHT_DEFAULT = 1;

    /** The kernel keeps a weight in one byte (mm/mempolicy.c, {@code iw_table}). */
    public static final int WEIGHT_MAX = 255;

    public PlacementRequest {
        weights = Collections.unmodifiableSortedMap(new TreeMap<>(weights));
    }

    /** Without weights. */
    public PlacementRequest(
            long sizeBytes,
            long maxSizeBytes,
            long bufferBytes,
            HugePageMode hugePageMode,
            long hugePageBytes,
            PlacementPolicy policy,
            NodeSelection nodes,
            boolean memoryOnlyNodes,
            Enforcement enforcement,
            int partitionsPerNode) {
        this(
                sizeBytes,
                maxSizeBytes,
                bufferBytes,
                hugePageMode,
                hugePageBytes,
                policy,
                nodes,
                memoryOnlyNodes,
                enforcement,
                partitionsPerNode,
                Collections.emptySortedMap());
    }
}
