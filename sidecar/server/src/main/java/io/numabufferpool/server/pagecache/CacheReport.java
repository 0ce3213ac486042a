package io.numabufferpool.server.pagecache;

import java.util.List;

/**
 * What {@code numapool pagecache} found.
 *
 * @param files those with most in memory first
 * @param total all of them as one
 * @param numaNodes the NUMA nodes that can hold page cache, ascending
 * @param spread what was done to each file before this look; empty where nothing was asked for
 * @param skippedLinks symbolic links inside folders, which are not followed
 * @param problems files that could not be looked at or spread, each as a sentence
 */
public record CacheReport(
        List<CachedFile> files,
        CachedFile total,
        List<Integer> numaNodes,
        List<Spread> spread,
        long skippedLinks,
        List<Problem> problems) {
    public CacheReport {
        files = List.copyOf(files);
        numaNodes = List.copyOf(numaNodes);
        spread = List.copyOf(spread);
        problems = List.copyOf(problems);
    }

    /** One file that was read again. {@code keptBytes} were in memory and could not be dropped, so they lie where they lay. */
    public record Spread(String path, long readBytes, long keptBytes) {}

    /** Why one file is not in the table. */
    public record Problem(String path, String message) {}
}
