package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolSessionTest {
    private static final int SPACE = 7;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);

    private final TestSegment segment = TestSegment.ofBuffers(8);
    private final BufferPool pool = segment.attach();

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void aPinnedPageHoldsTheBlockThatWasAskedFor() throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 3, LOADER);

            BlockContent.check(session.memory(handle), SPACE, 3);

            session.unpin(handle);
        }
    }

    @Test
    void theSecondPinOfABlockIsAHitAndLoadsNothing() throws IOException {
        var loads = new AtomicInteger();
        BlockLoader counting = (target, block) -> loads.incrementAndGet();
        try (var session = pool.openSession()) {
            session.unpin(session.pin(SPACE, 3, counting));
            session.unpin(session.pin(SPACE, 3, counting));
        }

        assertThat(loads).hasValue(1);
        assertThat(counters().hits()).isEqualTo(1);
        assertThat(counters().misses()).isEqualTo(1);
    }

    @Test
    void twoSessionsShareOneCopy() throws IOException {
        try (var first = pool.openSession();
                var second = segment.attach().openSession()) {
            long a = first.pin(SPACE, 3, LOADER);
            long b = second.pin(SPACE, 3, (target, block) -> {
                throw new IOException("must be a hit");
            });

            assertThat(a).isEqualTo(b);
            assertThat(pool.readStatistics().partitions().getFirst().buffers().pinned())
                    .isEqualTo(1);

            first.unpin(a);
            second.unpin(b);
        }
    }

    @Test
    void thePoolServesMoreBlocksThanItHasBuffers() throws IOException {
        try (var session = pool.openSession()) {
            for (int round = 0; round < 3; round++) {
                for (long block = 0; block < 100; block++) {
                    long handle = session.pin(SPACE, block, LOADER);
                    BlockContent.check(session.memory(handle), SPACE, block);
                    session.unpin(handle);
                }
            }
        }

        assertThat(counters().evictions()).isGreaterThan(200);
    }

    @Test
    void aPinnedPageIsNeverAVictim() throws IOException {
        try (var session = pool.openSession()) {
            long pinned = session.pin(SPACE, 1000, LOADER);
            for (long block = 0; block < 200; block++) {
                session.unpin(session.pin(SPACE, block, LOADER));
            }

            BlockContent.check(session.memory(pinned), SPACE, 1000);
            assertThat(session.pin(SPACE, 1000, LOADER)).isEqualTo(pinned);

            session.unpin(pinned);
            session.unpin(pinned);
        }
    }

    @Test
    void theSamePagePinnedTwiceStaysUntilItIsUnpinnedTwice() throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 1, LOADER);
            session.pin(SPACE, 1, LOADER);

            session.unpin(handle);
            assertThat(pool.readStatistics().partitions().getFirst().buffers().pinned())
                    .isEqualTo(1);
            session.unpin(handle);

            assertThat(pool.readStatistics().partitions().getFirst().buffers().pinned())
                    .isZero();
        }
    }

    @Test
    void unpinningAPageThatIsNotPinnedIsAnError() throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 1, LOADER);
            session.unpin(handle);

            assertThatThrownBy(() -> session.unpin(handle))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unpinned twice?");
        }
    }

    @Test
    void everyBufferPinnedIsNoVictimWithNumbers() throws IOException {
        try (var session = segment.attach(9, TestSegment.hasty()).openSession()) {
            var handles = new ArrayList<Long>();
            for (long block = 0; block < 8; block++) {
                handles.add(session.pin(SPACE, block, LOADER));
            }

            assertThatThrownBy(() -> session.pin(SPACE, 8, LOADER))
                    .isInstanceOf(PoolException.NoVictim.class)
                    .hasMessageContaining("of 8 buffers 8 hold pages that are pinned or in use")
                    .hasMessageContaining("raise spec.size");

            handles.forEach(session::unpin);
            session.unpin(session.pin(SPACE, 8, LOADER));
        }
    }

    @Test
    void aFailedLoadReachesTheCallerAndFreesTheBuffer() throws IOException {
        try (var session = pool.openSession()) {
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> session.pin(SPACE, 5, (target, block) -> {
                            throw new IOException("disk gone");
                        }))
                        .isInstanceOf(IOException.class)
                        .hasMessage("disk gone");
            }

            long handle = session.pin(SPACE, 5, LOADER);
            BlockContent.check(session.memory(handle), SPACE, 5);
            session.unpin(handle);
        }
        assertThat(counters().loadFailures()).isEqualTo(20);
        assertThat(pool.readStatistics().partitions().getFirst().buffers().used())
                .isEqualTo(1);
    }

    @Test
    void readCopiesThePartThatWasAskedForAndLeavesNothingPinned() throws IOException {
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            var expected = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            BlockContent.fill(expected, SPACE, 4);
            var target = arena.allocate(100, 8);

            session.read(SPACE, 4, 50, target, LOADER);
            assertThat(target.mismatch(expected.asSlice(50, 100))).isEqualTo(-1);
            target.fill((byte) 0);
            session.read(SPACE, 4, 50, target, LOADER);

            assertThat(target.mismatch(expected.asSlice(50, 100))).isEqualTo(-1);
            assertThat(pool.readStatistics().partitions().getFirst().buffers().pinned())
                    .isZero();
        }
        assertThat(counters().hits()).isEqualTo(1);
    }

    @Test
    void readOutsideABlockIsRefused() {
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            var target = arena.allocate(100);

            assertThatThrownBy(() -> session.read(SPACE, 4, 413, target, LOADER))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("100 bytes from offset 413 are not inside a block of 512 bytes");
        }
    }

    @Test
    void aPeekIsTheEightBytesAtAnyOffsetInsideTheBlockWhetherItIsThereOrNot() throws IOException {
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            var expected = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            BlockContent.fill(expected, SPACE, 4);
            for (long offset : new long[] {0, 1, 13, TestSegment.BUFFER_BYTES - 8}) {
                assertThat(session.peek(SPACE, 4, offset, LOADER))
                        .isEqualTo(expected.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
            }
            for (long outside : new long[] {-1, TestSegment.BUFFER_BYTES - 7, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> session.peek(SPACE, 4, outside, LOADER))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
            assertThat(pool.readStatistics().partitions().getFirst().buffers().pinned())
                    .isZero();
        }
        assertThat(counters().hits()).isEqualTo(3);
        assertThat(counters().misses()).isEqualTo(1);
    }

    @Test
    void aSessionCanPinMorePagesThanItsLedgerHolds() throws IOException {
        try (var large = TestSegment.ofBuffers(1000);
                var session = large.attach().openSession()) {
            var handles = new ArrayList<Long>();
            for (long block = 0; block < 600; block++) {
                handles.add(session.pin(SPACE, block, LOADER));
            }
            for (int block = 0; block < 600; block++) {
                BlockContent.check(session.memory(handles.get(block)), SPACE, block);
            }
            handles.forEach(session::unpin);
        }
    }

    @Test
    void aReadOnlySessionHitsWhatIsThereAndReadsTheRestForItself() throws IOException {
        var readOnly = segment.attachReadOnly();
        try (var writer = pool.openSession();
                var reader = readOnly.openSession()) {
            writer.unpin(writer.pin(SPACE, 1, LOADER));

            long hit = reader.pin(SPACE, 1, LOADER);
            long miss = reader.pin(SPACE, 2, LOADER);
            long otherMiss = reader.pin(SPACE, 3, LOADER);

            BlockContent.check(reader.memory(hit), SPACE, 1);
            BlockContent.check(reader.memory(miss), SPACE, 2);
            BlockContent.check(reader.memory(otherMiss), SPACE, 3);
            assertThat(writer.tryPin(SPACE, 2)).isZero();
            reader.unpin(hit);
            reader.unpin(miss);
            reader.unpin(otherMiss);
            assertThatThrownBy(() -> reader.unpin(miss)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(counters().misses()).isEqualTo(3);
    }

    @Test
    void pagesAreReadOnlyForTheReader() throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 1, LOADER);

            assertThat(session.memory(handle).isReadOnly()).isTrue();

            session.unpin(handle);
        }
    }

    @Test
    void allSlotsLeasedNamesTheHolders() {
        try (var small = TestSegment.of(2, 8);
                var first = small.attach(11, TestSegment.hasty()).openSession();
                var second = small.attach(12, TestSegment.hasty()).openSession()) {
            var third = small.attach(13, TestSegment.hasty());

            assertThatThrownBy(third::openSession)
                    .isInstanceOf(PoolException.NoFreeSlot.class)
                    .hasMessageContaining("all 2 slots are leased")
                    .hasMessageContaining("{11=1, 12=1}")
                    .hasMessageContaining("raise spec.slots.max");
            assertThat(first).isNotEqualTo(second);
        }
    }

    @Test
    void closingASessionGivesBackItsSlotAndItsVictims() throws IOException {
        for (int i = 0; i < 200; i++) {
            try (var session = pool.openSession()) {
                session.unpin(session.pin(SPACE, i, LOADER));
            }
        }

        assertThat(pool.slotsOf(1)).isZero();
    }

    private PoolStatistics.Counters counters() {
        return pool.readStatistics().numaNodes().getFirst().counters();
    }
}
