package io.numabufferpool.placement;

import java.util.List;

/**
 * One NUMA node of the machine. Immutable.
 *
 * @param index the kernel's number, as in {@code /sys/devices/system/node/node0}
 * @param cpus its online CPUs; empty for a memory-only node
 * @param memoryBytes MemTotal of the node's meminfo; 0 for a node without memory
 * @param freeBytes MemFree of the node's meminfo
 * @param hugePages its pools of reserved huge pages, ascending by page size
 * @param distances SLIT distances to the nodes of the topology, in their order; empty where unknown
 * @param interleaveWeight the kernel's weight for weighted interleaving, 1 to 255; {@link #WEIGHT_UNKNOWN} where it has none
 */
public record NumaNode(
        int index,
        CpuSet cpus,
        long memoryBytes,
        long freeBytes,
        List<HugePagePool> hugePages,
        List<Integer> distances,
        int interleaveWeight) {
    /** The kernel is older than 6.9, or does not show its weights. */
    public static final int WEIGHT_UNKNOWN = 0;

    public NumaNode {
        hugePages = List.copyOf(hugePages);
        distances = List.copyOf(distances);
    }

    /** Of a kernel without weights. */
    public NumaNode(
            int index,
            CpuSet cpus,
            long memoryBytes,
            long freeBytes,
            List<HugePagePool> hugePages,
            List<Integer> distances) {
        this(index, cpus, memoryBytes, freeBytes, hugePages, distances, WEIGHT_UNKNOWN);
    }

    /**
     * Reserved huge pages of one size on one node: pages, not bytes.
     *
     * @param pageBytes size of one page
     * @param totalPages nr_hugepages
     * @param freePages pages that this segment can have: free_hugepages, and those that it holds already, so that a decision
     *     does not change because it was carried out
     * @param surplusPages surplus_hugepages
     */
    public record HugePagePool(long pageBytes, long totalPages, long freePages, long surplusPages) {}

    /** Free reserved pages of that size, 0 where the node has no such pool. */
    public long freeHugePages(long pageBytes) {
        return hugePages.stream()
                .filter(pool -> pool.pageBytes() == pageBytes)
                .mapToLong(HugePagePool::freePages)
                .sum();
    }
}
