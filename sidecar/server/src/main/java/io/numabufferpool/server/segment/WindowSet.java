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
                set.windows.add(new Window(range, file, set.mapOne(range, file)));
            }
            return set;
        } catch (RuntimeException failed) {
            set.close();
            throw failed;
        }
    }

    /** Two mappings never touch (see {@link Linux#map}): the kernel would count their pages as one. */
    private Mapping mapOne(PlacedRange range, LinuxFile file) {
        return linux.map(file, range.offsetBytes(), range.bytes(), Protection.READ_WRITE, alignmentBytes);
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
