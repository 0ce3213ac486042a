package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.BufferDescriptorLayout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteBackTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);

    private final TestSegment segment = TestSegment.ofBuffers(8);
    private final BufferPool pool = segment.attach();
    private final List<Long> written = new ArrayList<>();
    private final BlockSink sink = (source, block, logPosition) -> written.add(block);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void aFlushWritesADirtyPageOnceAndThenItMayGo() throws IOException {
        try (var session = pool.openSession()) {
            long handle = dirty(session, 0, 42, 0);

            assertThat(session.flush(handle, (source, block, logPosition) -> {
                        BlockContent.check(source, SPACE, 42);
                        written.add(block);
                    }))
                    .isTrue();
            assertThat(session.flush(handle, sink)).isFalse();

            assertThat(written).containsExactly(0L);
            session.unpin(handle);
            for (long block = 1; block < 100; block++) {
                session.unpin(session.pin(SPACE, block, LOADER));
            }
            assertThat(session.tryPin(SPACE, 0)).isZero();
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void whatCannotBeWrittenStaysDirty() throws IOException {
        try (var session = pool.openSession()) {
            long handle = dirty(session, 0, 42, 0);

            assertThatThrownBy(() -> session.flush(handle, (source, block, logPosition) -> {
                        throw new IOException("no space left on the device");
                    }))
                    .hasMessage("no space left on the device");

            assertThat(session.isDirty(handle)).isTrue();
            assertThat(session.flush(handle, sink)).isTrue();
            session.unpin(handle);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aChangeDuringTheWriteKeepsThePageDirty() throws IOException {
        try (var session = pool.openSession();
                var other = segment.attach().openSession()) {
            long handle = dirty(session, 0, 42, 0);

            session.flush(handle, (source, block, logPosition) -> {
                other.unpin(dirty(other, 0, 43, 0));
                BlockContent.check(source, SPACE, 42);
            });

            assertThat(session.isDirty(handle)).isTrue();
            session.flush(handle, (source, block, logPosition) -> BlockContent.check(source, SPACE, 43));
            assertThat(session.isDirty(handle)).isFalse();
            session.unpin(handle);
        }
    }

    @Test
    void theLogComesFirstUpToTheHighestPositionThatIsNotWritten() throws IOException {
        var positions = new HashMap<Long, Long>();
        BlockSink positioned = (source, block, logPosition) -> positions.put(block, logPosition);
        try (var session = pool.openSession()) {
            session.unpin(dirty(session, 0, 42, 900));
            session.unpin(dirty(session, 0, 43, 0));
            session.unpin(dirty(session, 1, 44, 500));
            assertThat(session.flushSpace(SPACE, positioned)).isEqualTo(2);
            assertThat(positions).containsEntry(0L, 900L).containsEntry(1L, 500L);

            session.unpin(dirty(session, 0, 45, 100));
            session.flushSpace(SPACE, positioned);
            assertThat(positions).as("what is written counts no more").containsEntry(0L, 100L);
        }
    }

    @Test
    void twoFlushersOfOnePageGoOneAfterTheOther() throws IOException {
        try (var session = pool.openSession();
                var other = segment.attach(55, TestSegment.hasty()).openSession()) {
            long handle = dirty(session, 0, 42, 0);
            BufferDescriptorLayout.FLUSHER.set(segment.control, pool.segment().descriptor(handle), 1);
            long same = other.pin(SPACE, 0, LOADER);

            assertThatThrownBy(() -> other.flush(same, sink))
                    .isInstanceOf(PoolException.Stuck.class)
                    .hasMessageContaining("written to its file by slot 0 of client 1");

            BufferDescriptorLayout.FLUSHER.set(segment.control, pool.segment().descriptor(handle), 0);
            assertThat(other.flush(same, sink)).isTrue();
            session.unpin(handle);
            other.unpin(same);
        }
    }

    @Test
    void aFlushOfASpaceTouchesNoOther() throws IOException {
        try (var session = pool.openSession()) {
            session.unpin(dirty(session, 0, 42, 0));

            assertThat(session.flushSpace(SPACE + 1, sink)).isZero();
            assertThat(session.flushOrphans(SPACE, sink)).isZero();
            assertThat(session.flushSpace(SPACE, sink)).isEqualTo(1);
        }
    }

    @Test
    void aSpaceThatIsFlushedInTheMiddleOfAChangeSkipsIt() throws IOException {
        try (var session = pool.openSession()) {
            long handle = dirty(session, 0, 42, 0);
            session.lockExclusive(handle);

            assertThat(session.flushSpace(SPACE, sink)).isZero();
            assertThatThrownBy(() -> session.flush(handle, sink)).hasMessageContaining("unlock it first");

            session.unlockExclusive(handle);
            assertThat(session.flushSpace(SPACE, sink)).isEqualTo(1);
            session.unpin(handle);
        }
    }

    private static long dirty(PoolSession session, long block, long content, long logPosition) throws IOException {
        long handle = session.pin(SPACE, block, LOADER);
        session.lockExclusive(handle);
        BlockContent.fill(session.writableMemory(handle), SPACE, content);
        session.unlockExclusiveDirty(handle, logPosition);
        return handle;
    }
}
