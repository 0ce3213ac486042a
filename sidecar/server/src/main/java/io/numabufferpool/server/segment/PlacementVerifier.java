package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.NumaMaps;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeMap;

/** Reads where pages are: the {@code N<k>=} counts of /proc/self/numa_maps, never the policy's text beside them. */
final class PlacementVerifier {
    private static final long SMALL_PAGE_BYTES = 4096;

    private final Linux linux;

    PlacementVerifier(Linux linux) {
        this.linux = linux;
    }

    /** One answer a window, in their order. The kernel's files are read as seldom as can be: they walk every page table. */
    List<RangePlacement> verify(List<Window> windows) {
        // The kernel counts what a mapping has in its page table: after a migration, a swap-in or a restart of this
        // process, a page may be in the file without being there.
        windows.forEach(window -> linux.advise(window.memory(), Advice.POPULATE_READ));
        var lines = linux.numaMaps(MemorySegment.NULL.reinterpret(Long.MAX_VALUE));
        return windows.stream().map(window -> placement(window, lines)).toList();
    }

    private RangePlacement placement(Window window, List<NumaMaps.Line> lines) {
        var placed = new TreeMap<Integer, Long>();
        long hugetlbBytes = 0;
        long begin = window.memory().address();
        for (var line : lines) {
            if (line.address() < begin
                    || line.address() - begin >= window.range().bytes()) {
                continue;
            }
            for (var entry : line.pages().entrySet()) {
                long bytes = entry.getValue() * line.pageBytes();
                placed.merge(entry.getKey(), bytes, Long::sum);
                hugetlbBytes += line.pageBytes() > SMALL_PAGE_BYTES ? bytes : 0;
            }
        }
        return new RangePlacement(window.range(), placed, hugeBytes(window, hugetlbBytes));
    }

    /** numa_maps tells reserved pages by their size; transparent ones are only in smaps, and the control file has none. */
    private long hugeBytes(Window window, long hugetlbBytes) {
        if (hugetlbBytes > 0 || window.range().file() == SegmentFile.CONTROL) {
            return hugetlbBytes;
        }
        return linux.hugeBytes(window.memory()).bytes();
    }
}
