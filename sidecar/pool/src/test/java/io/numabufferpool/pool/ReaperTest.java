package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A dead client is one whose session is left as it is; the words it could leave are written here as it would. */
class ReaperTest {
    private static final int SPACE = 3;
    private static final int DEAD = 66;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);

    private final TestSegment segment = TestSegment.ofBuffers(4);
    private final BufferPool pool = segment.attach();
    private final BufferPool deadPool = segment.attach(DEAD, TestSegment.patient());
    private final Reaper reaper = pool.reaper();

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void pinsOfADeadClientAreGoneAtOnceAndExactly() throws IOException {
        var dead = deadPool.openSession();
        try (var living = pool.openSession()) {
            dead.pin(SPACE, 0, LOADER);
            dead.pin(SPACE, 1, LOADER);
            long kept = living.pin(SPACE, 0, LOADER);

            var reaped = reaper.reap(Set.of(DEAD));

            assertThat(reaped.pins()).isEqualTo(2);
            assertThat(reaped.slots()).isEqualTo(1);
            assertThat(pinned()).isEqualTo(1);
            assertThat(pool.slotsOf(DEAD)).isZero();
            living.unpin(kept);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aLoadThatDiedIsFreedAndItsWaitersLoadTheBlockThemselves() throws Exception {
        var dead = deadPool.openSession();
        var began = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        try (var executor = Executors.newCachedThreadPool()) {
            var loading = executor.submit(() -> dead.pin(SPACE, 0, (target, block) -> {
                began.countDown();
                awaitUninterrupted(never);
            }));
            began.await();
            var waiting = executor.submit(() -> {
                try (var session = pool.openSession()) {
                    long handle = session.pin(SPACE, 0, LOADER);
                    BlockContent.check(session.memory(handle), SPACE, 0);
                    session.unpin(handle);
                }
                return null;
            });

            var reaped = reaper.reap(Set.of(DEAD));
            waiting.get();

            assertThat(reaped.buffersFreed()).isGreaterThanOrEqualTo(1);
            never.countDown();
            assertThatThrownBy(loading::get).hasRootCauseInstanceOf(PoolException.CorruptSegment.class);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aPageThatADeadClientWasEvictingIsValidAgain() throws IOException {
        int owner = deadOwner();
        long at = loadedPage(0);
        BufferDescriptorLayout.STATE.set(segment.control, at, StateWord.evicting(valid(at), owner));

        assertThat(reaper.reap(Set.of(DEAD)).buffersKept()).isEqualTo(1);

        PoolChecks.checkNothingIsHeld(pool);
        assertThat(isResident(0)).isTrue();
    }

    @Test
    void aPageThatADeadClientWasUnmappingIsFreeAndNotFound() throws IOException {
        int owner = deadOwner();
        long at = loadedPage(0);
        long version = StateWord.version(valid(at));
        BufferDescriptorLayout.STATE.set(
                segment.control, at, StateWord.of(StateWord.UNMAPPING, owner, version) | StateWord.WAITERS);

        assertThat(reaper.reap(Set.of(DEAD)).buffersFreed()).isEqualTo(1);

        PoolChecks.checkNothingIsHeld(pool);
        assertThat(isResident(0)).isFalse();
    }

    @Test
    void buffersThatADeadClientKeptForItsMissesAreFree() throws IOException {
        var dead = deadPool.openSession();
        try (var living = pool.openSession()) {
            BufferDescriptorLayout.STATE.set(
                    segment.control,
                    pool.segment().descriptor(BufferNumber.of(0, 2)),
                    StateWord.of(StateWord.CLAIMED, 1, 9));

            assertThat(reaper.reap(Set.of(DEAD)).buffersFreed()).isEqualTo(1);

            assertThat(dead).isNotNull();
            living.unpin(living.pin(SPACE, 1, LOADER));
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aPageWhoseWriterDiedIsTornAndNeverServedAsGood() throws IOException {
        int owner = deadOwner();
        long at = loadedPage(0);
        long writing = valid(at) | StateWord.WRITING | ((long) owner << StateWord.OWNER_SHIFT);
        BufferDescriptorLayout.STATE.set(segment.control, at, writing);

        assertThat(reaper.reap(Set.of(DEAD)).buffersTorn()).isEqualTo(1);

        long word = pool.descriptors().state(at);
        assertThat(StateWord.has(word, StateWord.WRITING)).isFalse();
        assertThat(StateWord.version(word)).isEqualTo(StateWord.version(writing) + 1);
        try (var session = pool.openSession()) {
            assertThatThrownBy(() -> session.pin(SPACE, 0, LOADER))
                    .isInstanceOf(PoolException.Torn.class)
                    .hasMessageContaining("block 0 of space 3 was being written by a process that died");
            assertThat(pinned()).isZero();
        }
    }

    @Test
    void aTornPageMakesRoomEvenWhenItIsDirty() throws IOException {
        int owner = deadOwner();
        long at = loadedPage(0);
        BufferDescriptorLayout.STATE.set(
                segment.control,
                at,
                valid(at) | StateWord.WRITING | StateWord.DIRTY | ((long) owner << StateWord.OWNER_SHIFT));
        reaper.reap(Set.of(DEAD));

        try (var session = pool.openSession()) {
            for (long block = 1; block < 20; block++) {
                session.unpin(session.pin(SPACE, block, LOADER));
            }
            long handle = session.pin(SPACE, 0, LOADER);
            BlockContent.check(session.memory(handle), SPACE, 0);
            session.unpin(handle);
        }
    }

    @Test
    void bucketLocksOfTheDeadAndOfAReaperThatDiedAreFreed() throws IOException {
        int owner = deadOwner();
        long buckets = segment.layout().bucketsOffset();
        assertThat(segment.layout().bucketCount()).isEqualTo(2);
        LookupBucketLayout.LOCK.set(segment.control, buckets, owner);
        LookupBucketLayout.LOCK.set(segment.control, buckets + LookupBucketLayout.BYTES, LookupBucketLayout.REAPER);

        assertThat(reaper.reap(Set.of(DEAD)).bucketLocks()).isEqualTo(2);

        loadedPage(0);
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aFlusherLockOfADeadClientIsFreed() throws IOException {
        int owner = deadOwner();
        long at = loadedPage(0);
        BufferDescriptorLayout.FLUSHER.set(segment.control, at, owner);

        reaper.reap(Set.of(DEAD));

        assertThat(pool.descriptors().flusher(at)).isZero();
    }

    @Test
    void aLockOfAClientThatIsNotInTheSetIsNamed() throws IOException {
        try (var living = pool.openSession()) {
            living.unpin(living.pin(SPACE, 0, LOADER));
            var dead = deadPool.openSession();
            long at = pool.segment().descriptor(pinnedNumber(living));
            BufferDescriptorLayout.STATE.set(
                    segment.control, at, StateWord.of(StateWord.UNMAPPING, 2, StateWord.version(valid(at))));
            long buckets = segment.layout().bucketsOffset();
            LookupBucketLayout.LOCK.set(segment.control, buckets, 1);
            LookupBucketLayout.LOCK.set(segment.control, buckets + LookupBucketLayout.BYTES, 1);

            assertThatThrownBy(() -> reaper.reap(Set.of(DEAD)))
                    .isInstanceOf(PoolException.Stuck.class)
                    .hasMessageContaining("slot 0 of client 1");

            assertThat(dead).isNotNull();
            assertThat(pool.slotsOf(DEAD)).as("the slot goes last").isEqualTo(1);
            LookupBucketLayout.LOCK.set(segment.control, buckets, 0);
            LookupBucketLayout.LOCK.set(segment.control, buckets + LookupBucketLayout.BYTES, 0);
            assertThat(reaper.reap(Set.of(DEAD)).buffersFreed()).isEqualTo(1);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aReaperThatDiesHalfWayIsReplacedByOneThatBeginsAgain() throws IOException {
        int owner = deadOwner();
        long first = loadedPage(0);
        long second = loadedPage(1);
        BufferDescriptorLayout.STATE.set(
                segment.control, first, StateWord.of(StateWord.UNMAPPING, owner, 7) | StateWord.WAITERS);
        BufferDescriptorLayout.STATE.set(segment.control, second, StateWord.evicting(valid(second), owner));
        var dying = BufferPool.attach(
                segment.control,
                segment.buffers,
                new Futex() {
                    @Override
                    public void sleep(MemorySegment word, int expected, long timeoutNanos) {
                        throw new AssertionError("a reaper never sleeps");
                    }

                    @Override
                    public void wakeAll(MemorySegment word) {
                        throw new IllegalStateException("the reaper dies here");
                    }
                },
                77,
                Access.READ_WRITE,
                TestSegment.patient());

        assertThatThrownBy(() -> dying.reaper().reap(Set.of(DEAD))).hasMessage("the reaper dies here");
        assertThat(pool.slotsOf(DEAD)).as("the slot goes last").isEqualTo(1);
        assertThat(reaper.reap(Set.of(DEAD)).buffersKept()).isEqualTo(1);

        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void reapingTwiceFindsNothingTheSecondTime() throws IOException {
        deadPool.openSession().pin(SPACE, 0, LOADER);
        reaper.reap(Set.of(DEAD));

        assertThat(reaper.reap(Set.of(DEAD))).isEqualTo(new Reaper.Reaped(0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void countersOfADeadClientAreKept() throws IOException {
        deadPool.openSession().pin(SPACE, 0, LOADER);

        reaper.reap(Set.of(DEAD));

        assertThat(pool.readStatistics().numaNodes().getFirst().counters().misses())
                .isEqualTo(1);
    }

    private long pinnedNumber(PoolSession session) {
        long handle = session.tryPin(SPACE, 0);
        session.unpin(handle);
        return handle;
    }

    /** Slot 0 belongs to the dead client. */
    private int deadOwner() {
        assertThat(deadPool.openSession()).isNotNull();
        return 1;
    }

    private long loadedPage(long block) throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, block, LOADER);
            session.unpin(handle);
            return pool.segment().descriptor(handle);
        }
    }

    private boolean isResident(long block) {
        try (var session = pool.openSession()) {
            long handle = session.tryPin(SPACE, block);
            if (handle != 0) {
                session.unpin(handle);
            }
            return handle != 0;
        }
    }

    private long valid(long at) {
        return pool.descriptors().state(at);
    }

    private long pinned() {
        return pool.readStatistics().partitions().getFirst().buffers().pinned();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
