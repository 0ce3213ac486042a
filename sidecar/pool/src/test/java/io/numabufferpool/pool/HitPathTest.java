package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HitPathTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);
    private static final int HITS = 50_000;

    private final TestSegment segment = TestSegment.ofBuffers(64);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void aHitAllocatesNothing() throws IOException {
        try (var session = segment.attach().openSession();
                var arena = Arena.ofConfined()) {
            var copy = arena.allocate(64, 8);
            hit(session, copy, HITS);
            long before = allocatedBytes();

            hit(session, copy, HITS);

            // The measurement itself allocates a little; one object a hit would be 800,000 bytes and more.
            assertThat(allocatedBytes() - before).isLessThan(100_000);
        }
    }

    @Test
    void aHotHitWritesNothingThatIsShared() throws IOException {
        try (var session = segment.attach().openSession()) {
            for (int i = 0; i < 10; i++) {
                session.unpin(session.pin(SPACE, 1, LOADER));
            }
            var layout = segment.layout();
            var shared = segment.control.asSlice(layout.bucketsOffset());
            var before = shared.toArray(ValueLayout.JAVA_BYTE);

            session.unpin(session.pin(SPACE, 1, LOADER));
            var _ = session.peek(SPACE, 1, 0, LOADER);

            assertThat(shared.mismatch(MemorySegment.ofArray(before))).isEqualTo(-1);
        }
    }

    @Test
    void hitsPinnedTogetherAllocateNothingAndWriteNothingThatIsShared() throws IOException {
        try (var session = segment.attach().openSession()) {
            long[] blocks = {0, 1, 2, 3, 4, 5, 6, 7};
            var handles = new long[blocks.length];
            pinTogether(session, blocks, handles, HITS);
            var layout = segment.layout();
            var shared = segment.control.asSlice(layout.bucketsOffset());
            var before = shared.toArray(ValueLayout.JAVA_BYTE);
            long allocated = allocatedBytes();

            pinTogether(session, blocks, handles, HITS);

            assertThat(allocatedBytes() - allocated).isLessThan(100_000);
            assertThat(shared.mismatch(MemorySegment.ofArray(before))).isEqualTo(-1);
        }
    }

    private static void pinTogether(PoolSession session, long[] blocks, long[] handles, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            session.pinAll(SPACE, blocks, handles, LOADER);
            session.unpinAll(handles, handles.length);
        }
    }

    private static void hit(PoolSession session, MemorySegment copy, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            long handle = session.pin(SPACE, i & 31, LOADER);
            session.unpin(handle);
            session.read(SPACE, i & 31, 8, copy, LOADER);
            if (session.peek(SPACE, i & 31, 8, LOADER) != copy.get(ValueLayout.JAVA_LONG, 0)) {
                throw new AssertionError("a peek at block " + (i & 31) + " is not what was read there");
            }
        }
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
