package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SlotLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Buffers leave service and come back while sessions go on; garbage in a retired buffer shows every reader that was too late. */
class BufferRetirementTest {
    private static final int SPACE = 3;
    private static final byte GARBAGE = (byte) 0xAB;

    private final long seed = Long.getLong("numapool.seed", System.nanoTime());

    @Test
    void aPinnedPageStaysInServiceAndItsHolderIsNamed() throws Exception {
        try (var segment = TestSegment.onNodes(8, 4, 4)) {
            var pool = segment.attach(7, TestSegment.patient());
            try (var session = pool.openSession();
                    var retirement = segment.attach().retirement()) {
                for (long block = 0; block < 8; block++) {
                    session.unpin(session.pin(SPACE, block, BlockContent.of(SPACE)));
                }
                long handle = session.pin(SPACE, 5, BlockContent.of(SPACE));
                int partition = (int) partitionOf(handle);

                var remaining = retirement.retire(partition, 0, 4);

                assertThat(remaining.buffers()).isEqualTo(1);
                assertThat(remaining.clientNumber()).isEqualTo(7);
                BlockContent.check(session.memory(handle), SPACE, 5);
                session.unpin(handle);
                assertThat(retirement.retire(partition, 0, 4).none()).isTrue();
            }
        }
    }

    private static long partitionOf(long handle) {
        return BufferNumber.partition(handle);
    }

    @Test
    void missesUseTheOtherBuffersMeanwhile() throws Exception {
        try (var segment = TestSegment.onNodes(8, 4, 4)) {
            var pool = segment.attach();
            try (var session = pool.openSession();
                    var retirement = segment.attach().retirement()) {
                assertThat(retirement.retire(0, 0, 4).none()).isTrue();
                for (long block = 0; block < 20; block++) {
                    long handle = session.pin(SPACE, block, BlockContent.of(SPACE));
                    assertThat(partitionOf(handle)).isEqualTo(1);
                    session.unpin(handle);
                }
                assertThat(retirement.countRetired(0, 0, 4)).isEqualTo(4);

                retirement.restore(0, 0, 4);

                var partitions = new ArrayList<Long>();
                for (long block = 20; block < 28; block++) {
                    long handle = session.pin(SPACE, block, BlockContent.of(SPACE));
                    partitions.add(partitionOf(handle));
                    session.unpin(handle);
                }
                assertThat(partitions).contains(0L);
            }
        }
    }

    @Test
    void withEverythingRetiredAMissWaitsAndThenNamesNoVictim() throws Exception {
        try (var segment = TestSegment.ofBuffers(4)) {
            try (var retirement = segment.attach().retirement();
                    var session = segment.attach(9, TestSegment.hasty()).openSession()) {
                assertThat(retirement.retire(0, 0, 4).none()).isTrue();

                assertThatThrownBy(() -> session.pin(SPACE, 1, BlockContent.of(SPACE)))
                        .isInstanceOf(PoolException.NoVictim.class)
                        .hasMessageContaining("4 are out of service");
            }
        }
    }

    @Test
    void aPartitionShrinksAndGrowsUnderASessionThatKnowsOldNumbers() throws Exception {
        var shapes = List.of(new PartitionShape(0, 0, 8, 16), new PartitionShape(1, 16 * 512, 8, 16));
        try (var segment = TestSegment.of(shapes, 8)) {
            var pool = segment.attach();
            try (var session = pool.openSession();
                    var retirement = segment.attach().retirement()) {
                touch(session, 0, 40);
                retirement.resize(0, 2);
                assertThat(retirement.retire(0, 2, 8).none()).isTrue();
                assertThat(pool.bufferCount()).isEqualTo(10);
                touch(session, 0, 40);
                assertThat(retirement.countRetired(0, 2, 8)).isEqualTo(6);

                retirement.restore(0, 2, 8);
                retirement.resize(0, 16);

                assertThat(pool.bufferCount()).isEqualTo(24);
                touch(session, 0, 24);
                touch(session, 0, 24);
                assertThat(segment.attach().bufferCount()).isEqualTo(24);
                assertThat(pool.readStatistics()
                                .partitions()
                                .getFirst()
                                .buffers()
                                .total())
                        .isEqualTo(16);
            }
            PoolRaceTest.checkQuiet(pool, 24, 100);
        }
    }

    private static void touch(PoolSession session, long from, long to) throws IOException {
        for (long block = from; block < to; block++) {
            long handle = session.pin(SPACE, block, BlockContent.of(SPACE));
            BlockContent.check(session.memory(handle), SPACE, block);
            session.unpin(handle);
        }
    }

    @Test
    void sessionsCountInTheGroupOfTheNodeAPartitionMovedTo() throws Exception {
        try (var segment = TestSegment.onNodes(8, 4, 4)) {
            var pool = segment.attach();
            try (var session = pool.openSession();
                    var retirement = segment.attach().retirement()) {
                retirement.moveTo(0, 1);
                pool.bufferCount();
                touch(session, 0, 8);

                var nodes = pool.readStatistics().numaNodes();
                assertThat(nodes).singleElement().satisfies(node -> {
                    assertThat(node.numaNode()).isEqualTo(1);
                    assertThat(node.buffers().total()).isEqualTo(8);
                    assertThat(node.counters().misses()).isEqualTo(8);
                });
            }
        }
    }

    @Test
    void anEvictionThatAKilledSidecarBeganIsFinishedByTheNext() throws Exception {
        try (var segment = TestSegment.onNodes(8, 4, 4)) {
            var pool = segment.attach();
            try (var session = pool.openSession()) {
                touch(session, 0, 8);
                segment.takeOver().retirement().retire(0, 0, 2);

                // Nothing was closed: the slot is leased still, as a killed process leaves it.
                var next = segment.takeOver();
                next.leaseSlot();
                assertThat(next.reaper().clientNumbers())
                        .as("a sidecar does not take itself for dead")
                        .doesNotContain(TestSegment.SIDECAR);
                next.reaper().reap(Set.of(TestSegment.SIDECAR));
                assertThat(next.slotsOf(TestSegment.SIDECAR)).isZero();
                try (var retirement = next.retirement()) {
                    assertThat(retirement.countRetired(0, 0, 4)).isEqualTo(2);
                    assertThat(retirement.retire(0, 0, 4).none()).isTrue();
                    retirement.restore(0, 0, 4);
                }
                touch(session, 0, 8);
            }
            PoolChecks.checkNothingIsHeld(pool);
        }
    }

    @Test
    void aCopyThatBeganBeforeTheEpochIsWaitedForAndOneThatBeganLaterIsNot() {
        try (var segment = TestSegment.onNodes(8, 4, 4)) {
            var pool = segment.attach(7, TestSegment.patient());
            int slot = pool.leaseSlot();
            long at = segment.layout().slotsOffset() + slot * segment.layout().slotBytes();
            try (var retirement = segment.takeOver().retirement()) {
                // As OptimisticReader publishes: the header's epoch, 0 so far, plus one.
                SlotLayout.EPOCH.setVolatile(segment.control, at, 1L);
                long epoch = retirement.advanceEpoch();
                assertThat(retirement.findReaderBefore(epoch)).isEqualTo(7);

                SlotLayout.EPOCH.setVolatile(segment.control, at, epoch + 1);
                assertThat(retirement.findReaderBefore(epoch)).isEqualTo(BufferRetirement.NOBODY);
                assertThat(retirement.findReaderBefore(retirement.advanceEpoch()))
                        .isEqualTo(7);
            }
        }
    }

    @Test
    void noReaderEverSeesTheMemoryOfABufferThatIsOutOfService() throws Exception {
        System.out.println("BufferRetirementTest seed " + seed);
        try (var segment = TestSegment.onNodes(16, 12, 12, 12);
                var executor = Executors.newFixedThreadPool(5)) {
            var pool = segment.attach();
            var stop = new AtomicBoolean();
            var results = new ArrayList<Future<Void>>();
            for (int i = 0; i < 4; i++) {
                var random = new SplittableRandom(seed + i);
                Callable<Void> work = () -> read(pool, random, stop);
                results.add(executor.submit(work));
            }
            try (var retirement = segment.takeOver().retirement()) {
                for (int round = 0; round < 300; round++) {
                    move(segment, retirement, round % 3);
                }
            } finally {
                stop.set(true);
            }
            for (var result : results) {
                result.get();
            }
            PoolRaceTest.checkQuiet(segment, pool, 60);
        }
    }

    /** As the sidecar does: garbage stands for memory that is punched and populated again. */
    private static void move(TestSegment segment, BufferRetirement retirement, int partition) {
        spinUntil(() -> retirement.retire(partition, 0, 12).none());
        long epoch = retirement.advanceEpoch();
        spinUntil(() -> retirement.findReaderBefore(epoch) == BufferRetirement.NOBODY);
        segment.buffers
                .asSlice(partition * 12L * TestSegment.BUFFER_BYTES, 12L * TestSegment.BUFFER_BYTES)
                .fill(GARBAGE);
        retirement.moveTo(partition, partition);
        retirement.restore(partition, 0, 12);
    }

    private static void spinUntil(BooleanSupplier reached) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime()).as("30 s are not over").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static Void read(BufferPool pool, SplittableRandom random, AtomicBoolean stop) throws IOException {
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            while (!stop.get()) {
                long block = random.nextInt(60);
                if (random.nextBoolean()) {
                    session.read(SPACE, block, 0, copy, BlockContent.of(SPACE));
                    BlockContent.check(copy, SPACE, block);
                } else {
                    long handle = session.pin(SPACE, block, BlockContent.of(SPACE));
                    BlockContent.check(session.memory(handle), SPACE, block);
                    session.unpin(handle);
                }
            }
        }
        return null;
    }
}
