package io.numabufferpool.server.segment;

import io.numabufferpool.linux.LinuxFile;
import java.util.Map;

/** The two open files of a segment. Closing the descriptors leaves the files. */
public record SegmentFiles(LinuxFile control, LinuxFile buffers, long controlBytes, long buffersBytes)
        implements AutoCloseable {
    /** By kind, for mapping. */
    public Map<SegmentFile, LinuxFile> byKind() {
        return Map.of(SegmentFile.CONTROL, control, SegmentFile.BUFFERS, buffers);
    }

    @Override
    public void close() {
        control.close();
        buffers.close();
    }
}
