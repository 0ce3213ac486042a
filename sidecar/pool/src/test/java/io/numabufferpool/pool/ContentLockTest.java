package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentLockTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);

    private final TestSegment segment = TestSegment.ofBuffers(8);
    private final BufferPool pool = segment.attach();

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void whatOneSessionWroteAllOthersRead() throws IOException {
        try (var writer = pool.openSession();
                var reader = segment.attach().openSession();
                var arena = Arena.ofConfined()) {
            long handle = writer.pin(SPACE, 0, LOADER);
            writer.lockExclusive(handle);
            BlockContent.fill(writer.writableMemory(handle), SPACE, 42);
            writer.unlockExclusiveDirty(handle, 0);

            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            reader.read(SPACE, 0, 0, copy, LOADER);
            BlockContent.check(copy, SPACE, 42);
            assertThat(writer.isDirty(handle)).isTrue();
            writer.unpin(handle);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterWaitsForReadersAndReadersForTheWriter(boolean virtual) throws Exception {
        try (var executor = virtual ? Executors.newVirtualThreadPerTaskExecutor() : Executors.newCachedThreadPool();
                var reader = pool.openSession()) {
            long handle = reader.pin(SPACE, 0, LOADER);
            reader.lockShared(handle);
            reader.lockShared(handle);
            var written = executor.submit(() -> write(42));

            awaitWriting(handle);
            reader.unlockShared(handle);
            BlockContent.check(reader.memory(handle), SPACE, 0);
            assertThat(written.isDone()).isFalse();
            reader.unlockShared(handle);
            written.get();
            reader.lockShared(handle);
            BlockContent.check(reader.memory(handle), SPACE, 42);
            reader.unlockShared(handle);
            reader.unpin(handle);
        }
    }

    private void awaitWriting(long handle) throws InterruptedException {
        long at = pool.segment().descriptor(handle);
        while (!StateWord.has(pool.descriptors().state(at), StateWord.WRITING)) {
            Thread.sleep(1);
        }
    }

    private Void write(long content) throws IOException {
        try (var session = segment.attach().openSession()) {
            long handle = session.pin(SPACE, 0, LOADER);
            session.lockExclusive(handle);
            BlockContent.fill(session.writableMemory(handle), SPACE, content);
            session.unlockExclusiveDirty(handle, 0);
            session.unpin(handle);
        }
        return null;
    }

    @Test
    void aWaitThatNeverEndsNamesTheHolderAndLeavesNothingBehind() throws IOException {
        var hasty = segment.attach(77, TestSegment.hasty());
        try (var holder = pool.openSession();
                var other = hasty.openSession()) {
            long held = holder.pin(SPACE, 0, LOADER);
            long wanted = other.pin(SPACE, 0, LOADER);
            holder.lockShared(held);
            assertThatThrownBy(() -> other.lockExclusive(wanted))
                    .isInstanceOf(PoolException.Stuck.class)
                    .hasMessageContaining("block 0 of space 3 has been read under a lock by slot 0 of client 1");
            holder.unlockShared(held);
            other.lockExclusive(wanted);
            assertThatThrownBy(() -> holderHasty(held)).isInstanceOf(PoolException.Stuck.class);
            other.unlockExclusive(wanted);
            holder.lockExclusive(held);
            assertThatThrownBy(() -> other.lockShared(wanted))
                    .isInstanceOf(PoolException.Stuck.class)
                    .hasMessageContaining("has been changed by slot 0 of client 1");
            holder.unlockExclusive(held);
            holder.unpin(held);
            other.unpin(wanted);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    private void holderHasty(long handle) throws IOException {
        try (var third = segment.attach(78, TestSegment.hasty()).openSession()) {
            long mine = third.pin(SPACE, 0, LOADER);
            assertThat(mine).isEqualTo(handle);
            try {
                third.lockExclusive(mine);
            } finally {
                third.unpin(mine);
            }
        }
    }

    @Test
    void aSessionCannotDeadlockWithItself() throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 0, LOADER);
            session.lockShared(handle);
            assertThatThrownBy(() -> session.lockExclusive(handle))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unlock it first");
            assertThatThrownBy(() -> session.unpin(handle)).hasMessageContaining("locked for reading");
            session.unlockShared(handle);
            assertThatThrownBy(() -> session.unlockShared(handle)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.writableMemory(handle)).hasMessageContaining("not locked block 0");
            session.lockExclusive(handle);
            assertThatThrownBy(() -> session.lockShared(handle)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.lockExclusive(handle)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.unpin(handle)).hasMessageContaining("locked for writing");
            session.unlockExclusive(handle);
            session.unpin(handle);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aReadOnlyClientReadsUnderALockAndWritesNothing() throws IOException {
        try (var loader = pool.openSession();
                var session = segment.attachReadOnly().openSession()) {
            loader.unpin(loader.pin(SPACE, 0, LOADER));
            long handle = session.pin(SPACE, 0, LOADER);
            session.lockShared(handle);
            session.unlockShared(handle);
            assertThatThrownBy(() -> session.lockExclusive(handle)).hasMessageContaining("attached ReadOnly");
            session.unpin(handle);
            long own = session.pin(SPACE, 1, LOADER);
            session.lockShared(own);
            BlockContent.check(session.memory(own), SPACE, 1);
            session.unlockShared(own);
            session.unpin(own);
        }
    }

    @Test
    void aDirtyPageIsNeverAVictim() throws IOException {
        try (var session = pool.openSession()) {
            write(42);
            for (long block = 1; block < 100; block++) {
                session.unpin(session.pin(SPACE, block, LOADER));
            }
            long handle = session.tryPin(SPACE, 0);
            assertThat(handle).isNotZero();
            BlockContent.check(session.memory(handle), SPACE, 42);
            session.unpin(handle);
        }
    }

    @Test
    void aSessionThatIsClosedInTheMiddleOfAChangeLeavesATornPage() throws IOException {
        var session = pool.openSession();
        long handle = session.pin(SPACE, 0, LOADER);
        session.lockExclusive(handle);

        assertThatThrownBy(session::close).hasMessageContaining("1 pages pinned");

        try (var next = pool.openSession()) {
            assertThatThrownBy(() -> next.pin(SPACE, 0, LOADER)).isInstanceOf(PoolException.Torn.class);
        }
    }

    /** Every page is written and read by everybody, also evicted: a reader sees one content as a whole, and no increment is lost. */
    @Test
    void manyWritersAndReadersSeeWholePagesAndLoseNothing() throws Exception {
        int blocks = 4;
        int rounds = 3_000;
        var store = new long[blocks];
        var work = new ArrayList<Callable<Void>>();
        var stop = new AtomicBoolean();
        for (int i = 0; i < 3; i++) {
            work.add(() -> increment(store, blocks, rounds));
        }
        try (var executor = Executors.newCachedThreadPool()) {
            var reading = new ArrayList<Future<Void>>();
            for (int i = 0; i < 2; i++) {
                reading.add(executor.submit(() -> readAll(store, blocks, stop)));
            }
            for (var writing : executor.invokeAll(work)) {
                writing.get();
            }
            stop.set(true);
            for (var future : reading) {
                future.get();
            }
        }
        try (var session = pool.openSession()) {
            session.flushSpace(SPACE, sink(store));
        }
        long sum = 0;
        for (long value : store) {
            sum += value;
        }
        assertThat(sum).isEqualTo(3L * rounds);
        PoolChecks.checkNothingIsHeld(pool);
    }

    private Void increment(long[] store, int blocks, int rounds) throws IOException {
        try (var session = segment.attach().openSession()) {
            for (int i = 0; i < rounds; i++) {
                long handle = session.pin(SPACE, i % blocks, counted(store));
                session.lockExclusive(handle);
                var page = session.writableMemory(handle);
                long next = page.get(ValueLayout.JAVA_LONG, 0) + 1;
                for (long offset = 0; offset < page.byteSize(); offset += Long.BYTES) {
                    page.set(ValueLayout.JAVA_LONG, offset, next);
                }
                session.unlockExclusiveDirty(handle, 0);
                if (i % 3 == 0) {
                    session.flush(handle, sink(store));
                }
                session.unpin(handle);
                // Pages of another space push them out when they are clean.
                session.unpin(session.pin(SPACE + 1, i % 50, LOADER));
            }
        }
        return null;
    }

    private Void readAll(long[] store, int blocks, AtomicBoolean stop) throws IOException {
        try (var session = segment.attach().openSession();
                var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            var seen = new long[blocks];
            for (int i = 0; !stop.get(); i++) {
                int block = i % blocks;
                session.read(SPACE, block, 0, copy, counted(store));
                long first = copy.get(ValueLayout.JAVA_LONG, 0);
                for (long offset = 0; offset < copy.byteSize(); offset += Long.BYTES) {
                    assertThat(copy.get(ValueLayout.JAVA_LONG, offset)).isEqualTo(first);
                }
                assertThat(first).isGreaterThanOrEqualTo(seen[block]);
                seen[block] = first;
            }
        }
        return null;
    }

    private static BlockLoader counted(long[] store) {
        return (target, block) -> {
            long value;
            synchronized (store) {
                value = store[(int) block];
            }
            for (long offset = 0; offset < target.byteSize(); offset += Long.BYTES) {
                target.set(ValueLayout.JAVA_LONG, offset, value);
            }
        };
    }

    private static BlockSink sink(long[] store) {
        return (source, block, logPosition) -> {
            long first = source.get(ValueLayout.JAVA_LONG, 0);
            for (long offset = 0; offset < source.byteSize(); offset += Long.BYTES) {
                assertThat(source.get(ValueLayout.JAVA_LONG, offset)).isEqualTo(first);
            }
            synchronized (store) {
                assertThat(first).isGreaterThanOrEqualTo(store[(int) block]);
                store[(int) block] = first;
            }
        };
    }
}
