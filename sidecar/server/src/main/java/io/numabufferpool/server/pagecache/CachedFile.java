package io.numabufferpool.server.pagecache;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How much of one file the kernel keeps in memory, and where.
 *
 * @param path as it was named or found
 * @param bytes the file's length
 * @param cachedBytes in memory, in whole pages: for a short file it may be more than its length
 * @param bytesOfNode of the cached bytes, by NUMA node; nodes that hold none are absent
 */
public record CachedFile(String path, long bytes, long cachedBytes, SortedMap<Integer, Long> bytesOfNode) {
    public CachedFile {
        bytesOfNode = Collections.unmodifiableSortedMap(new TreeMap<>(bytesOfNode));
    }

    /** Cached bytes that left memory, or moved, between the two looks that make up this record. */
    public long unplacedBytes() {
        return Math.max(
                0,
                cachedBytes
                        - bytesOfNode.values().stream()
                                .mapToLong(Long::longValue)
                                .sum());
    }

    /** All of them as one. */
    static CachedFile total(Iterable<CachedFile> files) {
        long bytes = 0;
        long cachedBytes = 0;
        var ofNode = new TreeMap<Integer, Long>();
        int count = 0;
        for (var file : files) {
            bytes += file.bytes;
            cachedBytes += file.cachedBytes;
            file.bytesOfNode.forEach((numaNode, part) -> ofNode.merge(numaNode, part, Long::sum));
            count++;
        }
        return new CachedFile(count + (count == 1 ? " file" : " files"), bytes, cachedBytes, ofNode);
    }
}
