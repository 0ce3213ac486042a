package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.Linux;
import java.util.List;
import java.util.TreeMap;

/** Reads where pages are: the {@code N<k>=} counts of /proc/self/numa_maps, never the policy's text beside them. */
final class PlacementVerifier {
    private final Linux linux;

    PlacementVerifier(Linux linux) {
        this.linux = linux;
    }

    /** One answer a window, in their order. */
    List<RangePlacement> verify(List<Window> windows) {
        return windows.stream().map(this::verify).toList();
    }

    private RangePlacement verify(Window window) {
        // The kernel counts what this mapping has in its page table: after a migration, a swap-in or a restart of this
        // process, a page may be in the file without being there.
        linux.advise(window.memory(), Advice.POPULATE_READ);
        var placed = new TreeMap<Integer, Long>();
        for (var line : linux.numaMaps(window.memory())) {
            line.pages().forEach((numaNode, pages) -> placed.merge(numaNode, pages * line.pageBytes(), Long::sum));
        }
        return new RangePlacement(
                window.range(), placed, linux.hugeBytes(window.memory()).bytes());
    }
}
