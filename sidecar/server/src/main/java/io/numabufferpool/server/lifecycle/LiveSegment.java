package io.numabufferpool.server.lifecycle;

import io.numabufferpool.linux.Mapping;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.server.segment.PlacedRange;
import io.numabufferpool.server.segment.RangePlacement;
import io.numabufferpool.server.segment.SegmentFiles;
import io.numabufferpool.server.segment.SegmentPlacer;
import io.numabufferpool.server.segment.WindowSet;
import java.util.List;

/**
 * A published segment as this process holds it. Closing gives up the process's own view; the files and the clients stay. Not
 * thread-safe: {@link Verification} lets one at a time count.
 */
final class LiveSegment implements AutoCloseable {
    private final SegmentFiles files;
    private final Mapping control;
    private final Mapping buffers;
    private final BufferPool pool;
    private final SegmentPlacer placer;
    private WindowSet windows;

    /**
     * @param files the open files that clients get
     * @param windows through which pages are counted
     * @param control the whole control file
     * @param buffers the whole buffers file, only to read
     * @param pool the view of both
     * @param placer counts pages
     */
    LiveSegment(
            SegmentFiles files,
            WindowSet windows,
            Mapping control,
            Mapping buffers,
            BufferPool pool,
            SegmentPlacer placer) {
        this.files = files;
        this.windows = windows;
        this.control = control;
        this.buffers = buffers;
        this.pool = pool;
        this.placer = placer;
    }

    SegmentFiles files() {
        return files;
    }

    BufferPool pool() {
        return pool;
    }

    long generation() {
        return pool.segmentGeneration();
    }

    /** Where its pages are now. */
    List<RangePlacement> verify() {
        return placer.verify(windows);
    }

    /** Where the pages of these ranges are now. */
    List<RangePlacement> count(List<PlacedRange> ranges) {
        return placer.count(ranges, files.byKind());
    }

    /** From now on pages are counted through these. */
    void countThrough(WindowSet next) {
        windows.close();
        windows = next;
    }

    @Override
    public void close() {
        windows.close();
        buffers.close();
        control.close();
        files.close();
    }
}
