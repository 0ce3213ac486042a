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
 * A published segment as this process holds it. Closing gives up the process's own view; the files and the clients stay.
 *
 * @param files the open files that clients get
 * @param windows through which pages are counted
 * @param control the whole control file
 * @param buffers the whole buffers file, only to read
 * @param pool the view of both
 * @param placer counts pages
 */
record LiveSegment(
        SegmentFiles files, WindowSet windows, Mapping control, Mapping buffers, BufferPool pool, SegmentPlacer placer)
        implements AutoCloseable {
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

    @Override
    public void close() {
        windows.close();
        buffers.close();
        control.close();
        files.close();
    }
}
