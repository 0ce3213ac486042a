package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.layout.PartitionLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentCheckTest {
    private final TestSegment segment = TestSegment.onNodes(4, 10, 20);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void aFormattedSegmentIsAccepted() {
        var pool = segment.attach();

        assertThat(pool.bufferCount()).isEqualTo(30);
        assertThat(pool.bufferBytes()).isEqualTo(TestSegment.BUFFER_BYTES);
        assertThat(pool.segmentGeneration()).isEqualTo(TestSegment.GENERATION);
        assertThat(pool.segment().partitionNode(1)).isEqualTo(1);
    }

    @Test
    void anotherMajorVersionIsRefusedByName() {
        ControlHeaderLayout.VERSION_MAJOR.set(segment.control, 0L, 2);

        refused("segment has layout 2.0; this program reads 1.x. Use a client of the sidecar's version");
    }

    @Test
    void aHigherMinorVersionMayUseReservedBytes() {
        ControlHeaderLayout.VERSION_MINOR.set(segment.control, 0L, 1);
        segment.control.set(ValueLayout.JAVA_BYTE, ControlHeaderLayout.BYTES - 1, (byte) 1);

        assertThat(segment.attach().bufferCount()).isEqualTo(30);
    }

    @Test
    void aReservedByteThatIsNotZeroIsRefused() {
        segment.control.set(ValueLayout.JAVA_BYTE, ControlHeaderLayout.BYTES - 1, (byte) 1);

        refused("header has a byte that is not zero in reserved5");
    }

    @Test
    void aForeignFileIsRefused() {
        segment.control.set(ValueLayout.JAVA_LONG, 0, 0x464c457fL);

        refused("does not begin with the mark of a NumaBufferPool segment (found 464c457f): it is a foreign file");
    }

    @Test
    void aFileThatIsNotPublishedIsRefused() {
        ControlHeaderLayout.MAGIC.set(segment.control, 0L, 0L);

        refused("control file is not published");
    }

    @Test
    void theOtherByteOrderIsRefused() {
        ControlHeaderLayout.MAGIC.set(segment.control, 0L, Long.reverseBytes(LayoutVersion.MAGIC));

        refused("made on a machine of the other byte order");
    }

    @Test
    void aTruncatedControlFileIsRefused() {
        refused(
                segment.control.asSlice(0, segment.control.byteSize() - 4096),
                segment.buffers,
                "its header says " + segment.control.byteSize() + ": it was truncated or replaced");
        refused(segment.control.asSlice(0, 100), segment.buffers, "control file has 100 bytes, less than a header");
        refused(segment.control.asSlice(0, 0), segment.buffers, "control file has 0 bytes, less than a header");
    }

    @Test
    void aTruncatedBuffersFileIsRefused() {
        refused(
                segment.control,
                segment.buffers.asSlice(0, 512),
                "buffers file has 512 bytes, the control file's header");
    }

    @Test
    void aPartitionOutsideTheBuffersFileIsRefused() {
        PartitionLayout.BUFFERS_OFFSET.set(segment.control, segment.layout().partitionOffset(1), Long.MAX_VALUE - 511);

        refused("partition 1 buffers (20 from offset 9223372036854775296) are not inside the buffers file");
    }

    @Test
    void aPartitionWithMoreBuffersThanFitIsRefused() {
        PartitionLayout.BUFFER_CAPACITY.set(segment.control, segment.layout().partitionOffset(1), 1L << 31);

        refused("partition 1 descriptors (2147483648 x 64 bytes");
    }

    @Test
    void noOverwrittenHeaderGivesAnythingButAClearRefusalOrAPoolThatStaysInside() {
        long seed = System.nanoTime();
        System.out.println("SegmentCheckTest seed " + seed);
        var random = new SplittableRandom(seed);
        var good = segment.control.asSlice(0, ControlHeaderLayout.BYTES).toArray(ValueLayout.JAVA_BYTE);
        int refusals = 0;
        for (int i = 0; i < 5_000; i++) {
            MemorySegment.copy(good, 0, segment.control, ValueLayout.JAVA_BYTE, 0, good.length);
            long offset = 8 + 8L * random.nextInt(24);
            segment.control.set(ValueLayout.JAVA_LONG, offset, random.nextLong() >>> random.nextInt(64));
            try {
                SegmentCheck.attach(segment.control, segment.buffers);
            } catch (PoolException.SegmentMismatch e) {
                refusals++;
            }
        }

        assertThat(refusals).isGreaterThan(1_000);
    }

    @Test
    void aClientNumberWhoseSlotsWaitForTheReaperIsRefused() {
        var first = segment.attach(5, TestSegment.patient());
        try (var session = first.openSession()) {
            assertThat(session).isNotNull();

            assertThatThrownBy(() -> segment.attach(5, TestSegment.patient()))
                    .isInstanceOf(PoolException.ClientNumberInUse.class)
                    .hasMessageContaining("client number 5 still holds 1 slots of a process that died");
        }
    }

    @Test
    void formattingTwiceIsRefused() {
        assertThatThrownBy(() -> SegmentFormatter.format(segment.control, segment.layout(), 1, 0))
                .hasMessageContaining("holds a segment already");
    }

    @Test
    void formattingAFileOfAnotherLengthIsRefused() {
        try (var arena = Arena.ofConfined()) {
            var control = arena.allocate(4096, 8);

            assertThatThrownBy(() -> SegmentFormatter.format(control, segment.layout(), 1, 0))
                    .hasMessageContaining("control file has 4096 bytes, its layout");
        }
    }

    private void refused(String words) {
        refused(segment.control, segment.buffers, words);
    }

    private static void refused(MemorySegment control, MemorySegment buffers, String words) {
        assertThatThrownBy(() -> SegmentCheck.attach(control, buffers))
                .isInstanceOf(PoolException.SegmentMismatch.class)
                .hasMessageContaining(words);
    }
}
