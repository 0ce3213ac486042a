package io.numabufferpool.server.segment;

import io.numabufferpool.placement.PlacementDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * From the decision that a segment was populated by and the one it shall lie by to the pieces that are moved one after the
 * other. Pure.
 */
final class MoveChunks {
    /** What is out of service at once: populated in some 20 ms, and more would make misses wait. */
    static final long BYTES_MAX = 64L << 20;

    /** At most one part in so many is out of service at once. */
    private static final int PARTS_MIN = 8;

    /** Each is a mapping while pages are counted, and the kernel allows a process 65530. */
    private static final int CHUNKS_MAX = 4096;

    /**
     * One piece: whole pages.
     *
     * @param range where it is and where it belongs
     * @param populated whether every page has a frame already, somewhere
     */
    record Chunk(PlacedRange range, boolean populated) {}

    private MoveChunks() {}

    /** Ascending; together they are all populated pages of {@code to}. */
    static List<Chunk> of(PlacementDecision from, PlacementDecision to, long bufferBytes, long pageBytes) {
        var before = BufferRanges.of(from, bufferBytes, pageBytes);
        var after = BufferRanges.of(to, bufferBytes, pageBytes);
        var edges = new TreeSet<Long>();
        before.forEach(range -> {
            edges.add(range.offsetBytes());
            edges.add(range.offsetBytes() + range.bytes());
        });
        long total = after.stream().mapToLong(PlacedRange::bytes).sum();
        long chunkBytes = chunkBytes(total, pageBytes);
        var chunks = new ArrayList<Chunk>();
        for (var range : after) {
            long end = range.offsetBytes() + range.bytes();
            for (long begin = range.offsetBytes(); begin < end; ) {
                var edge = edges.higher(begin);
                long next = Math.min(begin + chunkBytes, edge == null ? end : Math.min(edge, end));
                chunks.add(new Chunk(range.part(begin - range.offsetBytes(), next - begin), covers(before, begin)));
                begin = next;
            }
        }
        return chunks;
    }

    private static boolean covers(List<PlacedRange> ranges, long offset) {
        return ranges.stream()
                .anyMatch(range -> offset >= range.offsetBytes() && offset < range.offsetBytes() + range.bytes());
    }

    private static long chunkBytes(long totalBytes, long pageBytes) {
        long wanted = Math.max(Math.min(BYTES_MAX, totalBytes / PARTS_MIN), totalBytes / CHUNKS_MAX);
        return Math.max(1, wanted / pageBytes) * pageBytes;
    }

    /** The chunk page by page. */
    static List<PlacedRange> pages(PlacedRange range, long pageBytes) {
        var pages = new ArrayList<PlacedRange>();
        for (long offset = 0; offset < range.bytes(); offset += pageBytes) {
            pages.add(range.part(offset, Math.min(pageBytes, range.bytes() - offset)));
        }
        return pages;
    }

    /** Of one partition: buffers from before to. */
    record Buffers(int partition, long fromIndex, long toIndex) {}

    /** The buffers whose bytes lie in the range, as far as a partition has room for them. */
    static List<Buffers> buffers(PlacementDecision decision, PlacedRange range, long bufferBytes) {
        var found = new ArrayList<Buffers>();
        for (var plan : decision.partitions()) {
            long from = Math.clamp(
                    Math.floorDiv(range.offsetBytes() - plan.offsetBytes(), bufferBytes), 0, plan.bufferCapacity());
            long to = Math.clamp(
                    Math.ceilDiv(range.offsetBytes() + range.bytes() - plan.offsetBytes(), bufferBytes),
                    0,
                    plan.bufferCapacity());
            if (from < to) {
                found.add(new Buffers(plan.partition(), from, to));
            }
        }
        return found;
    }
}
