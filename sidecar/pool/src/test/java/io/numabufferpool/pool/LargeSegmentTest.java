package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Offsets beyond 2 and 4 GiB in both files, on sparse files: only the pages that are used get memory. */
class LargeSegmentTest {
    private static final int BUFFER_BYTES = 8192;
    private static final int SPACE = 3;
    private static final long GIB = 1L << 30;

    @Test
    void buffersAndDescriptorsBeyondFourGibibytesAreReached() throws IOException {
        // Room for 2.5 GiB of descriptors, twice, before those of the second partition, and 320 GiB of buffers before
        // its own.
        var shapes = List.of(
                new PartitionShape(0, 0, 4, 40L << 20), new PartitionShape(1, (40L << 20) * BUFFER_BYTES, 4, 4));
        long buffersBytes = (40L << 20) * BUFFER_BYTES + 4 * BUFFER_BYTES;
        var layout = SegmentLayout.of(shapes, BUFFER_BYTES, buffersBytes, 4, 8, 4096);
        assertThat(layout.descriptorsOffset(1)).isGreaterThan(4 * GIB);

        var linux = new JnaLinux();
        try (var folder = new TmpfsFolder();
                var controlFile = linux.open(folder.path().resolve("control"), OpenMode.CREATE_NEW, 0600);
                var buffersFile = linux.open(folder.path().resolve("buffers"), OpenMode.CREATE_NEW, 0600)) {
            linux.setLength(controlFile, layout.controlBytes());
            linux.setLength(buffersFile, buffersBytes);
            try (var control = linux.map(controlFile, 0, layout.controlBytes(), Protection.READ_WRITE, 4096);
                    var buffers = linux.map(buffersFile, 0, buffersBytes, Protection.READ_WRITE, 4096)) {
                SegmentFormatter.format(control.memory(), layout, 1, 0);
                var pool = BufferPool.attach(
                        control.memory(), buffers.memory(), linux, 1, Access.READ_WRITE, TestSegment.patient());
                pinAndCheckAll(pool);
            }
        }
    }

    private static void pinAndCheckAll(BufferPool pool) throws IOException {
        try (var session = pool.openSession()) {
            var handles = new ArrayList<Long>();
            for (long block = 0; block < 8; block++) {
                // Numbers beyond 32 bits, so that a narrow block number would collide.
                handles.add(session.pin(SPACE, block << 40, BlockContent.of(SPACE)));
            }
            for (int i = 0; i < 8; i++) {
                BlockContent.check(session.memory(handles.get(i)), SPACE, (long) i << 40);
            }
            assertThat(pool.readStatistics().partitions())
                    .allSatisfy(
                            partition -> assertThat(partition.buffers().used()).isEqualTo(4));
            handles.forEach(session::unpin);
        }
    }
}
