package io.numabufferpool.linux;

import java.util.SortedMap;

/** /proc/PID/numa_maps (Documentation/filesystems/proc.rst), read. */
public final class NumaMaps {
    private NumaMaps() {}

    /**
     * One mapping.
     *
     * @param address where it begins
     * @param policy the policy's text, such as {@code bind:1}; what was asked for, not where pages are
     * @param pageBytes kernelpagesize_kB in bytes: 4096 also for collapsed pages
     * @param pages the kernel's {@code N<k>=} counts, by NUMA node, in pages of pageBytes
     */
    public record Line(long address, String policy, long pageBytes, SortedMap<Integer, Long> pages) {
        /** Bytes on one node. */
        public long bytesOn(int numaNode) {
            return pages.getOrDefault(numaNode, 0L) * pageBytes;
        }
    }
}
