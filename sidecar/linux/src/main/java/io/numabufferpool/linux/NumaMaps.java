package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** /proc/PID/numa_maps (Documentation/filesystems/proc.rst; fs/proc/task_mmu.c, show_numa_map), read. */
public final class NumaMaps {
    /** Policies whose text has a space in it (mm/mempolicy.c, mpol_to_str). */
    private static final Pattern POLICY = Pattern.compile("((?:weighted interleave|prefer \\(many\\)|\\S)\\S*)(.*)");

    private static final Pattern PAGES = Pattern.compile("N([0-9]{1,5})=([0-9]{1,18})");
    private static final Pattern PAGE_KIB = Pattern.compile("kernelpagesize_kB=([0-9]{1,12})");
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{1,16}");
    private static final long KIB = 1024;

    private NumaMaps() {}

    /**
     * One mapping.
     *
     * @param address where it begins
     * @param policy the policy's text, such as {@code bind:1}; what was asked for, not where pages are
     * @param pageBytes kernelpagesize_kB in bytes: 4096 also for collapsed pages; 0 where the line has no pages
     * @param pages the kernel's {@code N<k>=} counts, by NUMA node, in pages of pageBytes
     */
    public record Line(long address, String policy, long pageBytes, SortedMap<Integer, Long> pages) {
        public Line {
            pages = Collections.unmodifiableSortedMap(new TreeMap<>(pages));
        }

        /** Bytes on one node. */
        public long bytesOn(int numaNode) {
            return pages.getOrDefault(numaNode, 0L) * pageBytes;
        }

        /** Bytes on all nodes. */
        public long bytes() {
            return pages.keySet().stream().mapToLong(this::bytesOn).sum();
        }
    }

    /** The nodes that a policy's text names, such as {@code interleave=static:0-3}; none for {@code default} and {@code local}. */
    public static NumaNodeSet policyNodes(String policy) {
        int colon = policy.lastIndexOf(':');
        return colon < 0 ? NumaNodeSet.empty() : NumaNodeSet.parse(policy.substring(colon + 1));
    }

    /**
     * Reads one line. File names cannot be mistaken for counts: the kernel writes their spaces and equal signs as octal
     * numbers. Empty for a line that does not begin with an address.
     */
    static Optional<Line> parse(String text) {
        int space = text.indexOf(' ');
        if (space < 0 || !ADDRESS.matcher(text).region(0, space).matches()) {
            return Optional.empty();
        }
        var rest = POLICY.matcher(text.substring(space + 1));
        if (!rest.matches()) {
            return Optional.empty();
        }
        var pages = new TreeMap<Integer, Long>();
        long pageBytes = 0;
        for (var word : rest.group(2).split(" ", -1)) {
            var count = PAGES.matcher(word);
            if (count.matches()) {
                pages.merge(Integer.parseInt(count.group(1)), Long.parseLong(count.group(2)), Long::sum);
            }
            var size = PAGE_KIB.matcher(word);
            if (size.matches()) {
                pageBytes = Long.parseLong(size.group(1)) * KIB;
            }
        }
        long address = Long.parseUnsignedLong(text.substring(0, space), 16);
        return Optional.of(new Line(address, rest.group(1), pageBytes, pages));
    }
}
