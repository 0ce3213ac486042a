package io.numabufferpool.pool;

import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import java.nio.file.Path;

/** The two files of a segment on tmpfs, mapped; what every process of a test opens for itself. */
final class SegmentFiles implements AutoCloseable {
    private static final long PAGE_BYTES = 4096;

    final Linux linux = new JnaLinux();
    final Mapping control;
    final Mapping buffers;

    private SegmentFiles(Path folder, OpenMode mode, long controlBytes, long buffersBytes) {
        control = map(folder.resolve("control"), mode, controlBytes);
        buffers = map(folder.resolve("buffers"), mode, buffersBytes);
    }

    static SegmentFiles create(Path folder, SegmentLayout layout) {
        var files = new SegmentFiles(folder, OpenMode.CREATE_NEW, layout.controlBytes(), layout.buffersBytes());
        SegmentFormatter.format(files.control.memory(), layout, TestSegment.GENERATION, 0);
        return files;
    }

    static SegmentFiles open(Path folder) {
        return new SegmentFiles(folder, OpenMode.READ_WRITE, 0, 0);
    }

    private Mapping map(Path path, OpenMode mode, long newBytes) {
        try (var file = linux.open(path, mode, 0600)) {
            if (mode == OpenMode.CREATE_NEW) {
                linux.setLength(file, newBytes);
            }
            long bytes = linux.status(file).bytes();
            var mapping = linux.map(file, 0, bytes, Protection.READ_WRITE, PAGE_BYTES);
            if (mode == OpenMode.CREATE_NEW) {
                linux.advise(mapping.memory(), Advice.POPULATE_WRITE);
            }
            return mapping;
        }
    }

    BufferPool attach(int clientNumber) {
        return BufferPool.attach(
                control.memory(), buffers.memory(), linux, clientNumber, Access.READ_WRITE, TestSegment.patient());
    }

    @Override
    public void close() {
        control.close();
        buffers.close();
    }
}
