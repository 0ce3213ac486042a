package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.Protection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The windows of a segment, each range mapped by itself. Close unmaps them; the files stay the caller's. */
public final class WindowSet implements AutoCloseable {
    /** Two tries give two addresses, and only one of them can be the end of the mapping before. */
    private static final int MAP_TRIES_MAX = 3;

    private final Linux linux;
    private final long alignmentBytes;
    private final List<Window> windows = new ArrayList<>();

    /** {@code alignmentBytes}: the huge page size, so that address and offset are congruent in it. */
    private WindowSet(Linux linux, long alignmentBytes) {
        this.linux = linux;
        this.alignmentBytes = alignmentBytes;
    }

    /** Maps every range of the plan; on failure nothing stays mapped. */
    public static WindowSet map(
            Linux linux, List<PlacedRange> ranges, Map<SegmentFile, LinuxFile> files, long alignmentBytes) {
        var set = new WindowSet(linux, alignmentBytes);
        try {
            for (var range : ranges) {
                var file = files.get(range.file());
                if (file == null) {
                    throw new IllegalArgumentException("no " + range.file() + " file for " + range.name());
                }
                set.windows.add(new Window(range, file, set.mapApart(range, file)));
            }
            return set;
        } catch (RuntimeException failed) {
            set.close();
            throw failed;
        }
    }

    /**
     * The kernel merges two mappings of one file whose addresses and offsets both continue, and then counts their pages as
     * one; so a window that happens to continue another is mapped again elsewhere.
     */
    private Mapping mapApart(PlacedRange range, LinuxFile file) {
        var spacers = new ArrayList<Mapping>();
        try {
            for (int tries = 1; ; tries++) {
                var mapping =
                        linux.map(file, range.offsetBytes(), range.bytes(), Protection.READ_WRITE, alignmentBytes);
                if (tries == MAP_TRIES_MAX || windows.stream().noneMatch(other -> touches(mapping, other))) {
                    return mapping;
                }
                spacers.add(mapping);
            }
        } finally {
            spacers.forEach(Mapping::close);
        }
    }

    private static boolean touches(Mapping mapping, Window other) {
        long begin = mapping.memory().address();
        long end = begin + mapping.memory().byteSize();
        long otherBegin = other.memory().address();
        return end == otherBegin || begin == otherBegin + other.memory().byteSize();
    }

    List<Window> windows() {
        return List.copyOf(windows);
    }

    @Override
    public void close() {
        windows.forEach(window -> window.mapping().close());
        windows.clear();
    }
}
