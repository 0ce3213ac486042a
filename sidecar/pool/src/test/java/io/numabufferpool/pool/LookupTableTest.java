package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.pool.LookupTable.Insertion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookupTableTest {
    private static final int SPACE = 2;
    private static final int OWNER = 1;
    private static final long WAIT_NANOS = 60_000_000_000L;

    private TestSegment segment = TestSegment.ofBuffers(1);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void anInsertedTagIsPresentUntilItIsRemoved() {
        var pool = pool(100);
        var table = pool.table();

        assertThat(insert(pool, 5, 0)).isEqualTo(Insertion.INSERTED);
        assertThat(insert(pool, 5, 1)).isEqualTo(Insertion.PRESENT);
        assertThat(table.remove(LookupTable.hash(SPACE, 5), BufferNumber.of(0, 0), OWNER, WAIT_NANOS))
                .isTrue();

        assertThat(insert(pool, 5, 1)).isEqualTo(Insertion.INSERTED);
    }

    @Test
    void removingLeavesTheEntryOfAnotherBufferAlone() {
        var pool = pool(100);
        insert(pool, 5, 0);

        assertThat(pool.table().remove(LookupTable.hash(SPACE, 5), BufferNumber.of(0, 1), OWNER, WAIT_NANOS))
                .isFalse();

        assertThat(insert(pool, 5, 2)).isEqualTo(Insertion.PRESENT);
    }

    @Test
    void blocksWithTheSameFingerprintAndHomeAreKeptApart() {
        var pool = pool(100);
        var twins = blocksOfOneHome(pool, 2, true);

        assertThat(insert(pool, twins.get(0), 0)).isEqualTo(Insertion.INSERTED);
        assertThat(insert(pool, twins.get(1), 1)).isEqualTo(Insertion.INSERTED);
    }

    @Test
    void aFullBucketSendsKeysOnAndReachShrinksWhenTheyGo() {
        var pool = pool(1000);
        var blocks = blocksOfOneHome(pool, 20, false);
        long homeOffset = homeOffset(pool, blocks.getFirst());
        for (int i = 0; i < blocks.size(); i++) {
            insert(pool, blocks.get(i), i);
        }
        assertThat(pool.table().reach(homeOffset)).isEqualTo(2);

        for (int i = 0; i < blocks.size(); i++) {
            assertThat(insert(pool, blocks.get(i), 900)).isEqualTo(Insertion.PRESENT);
        }
        for (int i = blocks.size() - 1; i >= 0; i--) {
            assertThat(remove(pool, blocks.get(i), i)).isTrue();
        }

        assertThat(pool.table().reach(homeOffset)).isZero();
    }

    @Test
    void aNeighbourhoodThatIsFullIsSaidSo() {
        var pool = pool(1000);
        int places = LookupTable.PROBE_MAX * LookupBucketLayout.ENTRY_COUNT;
        var blocks = blocksOfOneHome(pool, places + 1, false);
        for (int i = 0; i < places; i++) {
            assertThat(insert(pool, blocks.get(i), i)).isEqualTo(Insertion.INSERTED);
        }

        assertThat(insert(pool, blocks.get(places), places)).isEqualTo(Insertion.FULL);
    }

    @Test
    void aLongChurnBuildsNothingUp() {
        var pool = pool(700);
        var random = new SplittableRandom(11);
        var blocks = new long[700];
        long next = 0;
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = next++;
            insert(pool, blocks[i], i);
        }
        for (int i = 0; i < 100_000; i++) {
            int buffer = random.nextInt(blocks.length);
            assertThat(remove(pool, blocks[buffer], buffer)).isTrue();
            blocks[buffer] = next++;
            assertThat(insert(pool, blocks[buffer], buffer)).isEqualTo(Insertion.INSERTED);
        }

        // With tombstones, or a reach that is never taken back, it would go towards PROBE_MAX.
        assertThat(meanReach(pool)).isLessThan(0.3);
    }

    @Test
    void oneBufferIsEnoughForATable() {
        var pool = pool(1);

        assertThat(insert(pool, 1, 0)).isEqualTo(Insertion.INSERTED);
        assertThat(remove(pool, 1, 0)).isTrue();
        assertThat(insert(pool, 2, 0)).isEqualTo(Insertion.INSERTED);
    }

    @Test
    void aLockThatIsNotFreedNamesItsHolder() {
        var pool = pool(1);
        try (var session = segment.attach(77, TestSegment.patient()).openSession()) {
            assertThat(session).isNotNull();
            LookupBucketLayout.LOCK.set(segment.control, segment.layout().bucketsOffset(), 1);

            assertThatThrownBy(() ->
                            pool.table().remove(LookupTable.hash(SPACE, 1), BufferNumber.of(0, 0), OWNER, 1_000_000))
                    .isInstanceOf(PoolException.Stuck.class)
                    .hasMessageContaining("locked by slot 0 of client 77 for 1 ms");
        }
    }

    @Test
    void aReachThatCannotBeIsCorruption() {
        var pool = pool(1);
        LookupBucketLayout.REACH.set(segment.control, segment.layout().bucketsOffset(), 1);

        assertThatThrownBy(() -> pool.table().reach(segment.layout().bucketsOffset()))
                .isInstanceOf(PoolException.CorruptSegment.class)
                .hasMessageContaining("has reach 1, must be below 1");
    }

    private BufferPool pool(long bufferCount) {
        segment.close();
        segment = TestSegment.ofBuffers(bufferCount);
        return segment.attach();
    }

    private static Insertion insert(BufferPool pool, long block, long index) {
        long number = BufferNumber.of(0, index);
        long at = pool.segment().descriptor(number);
        long oldBlock = pool.descriptors().block(at);
        int oldSpace = pool.descriptors().space(at);
        pool.descriptors().setTag(at, SPACE, block);
        var insertion =
                pool.table().insertIfAbsent(LookupTable.hash(SPACE, block), SPACE, block, number, OWNER, WAIT_NANOS);
        if (insertion != Insertion.INSERTED) {
            pool.descriptors().setTag(at, oldSpace, oldBlock);
        }
        return insertion;
    }

    private static boolean remove(BufferPool pool, long block, long index) {
        return pool.table().remove(LookupTable.hash(SPACE, block), BufferNumber.of(0, index), OWNER, WAIT_NANOS);
    }

    private static long homeOffset(BufferPool pool, long block) {
        return pool.table().bucketOffset(pool.table().home(LookupTable.hash(SPACE, block)), 0);
    }

    private static List<Long> blocksOfOneHome(BufferPool pool, int count, boolean sameFingerprint) {
        var found = new ArrayList<Long>();
        long first = LookupTable.hash(SPACE, 0);
        for (long block = 0; found.size() < count; block++) {
            long hash = LookupTable.hash(SPACE, block);
            if (pool.table().home(hash) == pool.table().home(first)
                    && (!sameFingerprint || LookupTable.fingerprint(hash) == LookupTable.fingerprint(first))) {
                found.add(block);
            }
        }
        return found;
    }

    private static double meanReach(BufferPool pool) {
        long sum = 0;
        for (long bucket = 0; bucket < pool.segment().bucketCount; bucket++) {
            sum += pool.table().reach(pool.table().bucketOffset(bucket, 0));
        }
        return (double) sum / pool.segment().bucketCount;
    }
}
