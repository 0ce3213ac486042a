package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClockSweepTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);

    @Test
    void aLoneWorkerUsesEveryPartitionBeforeAnythingIsEvicted() throws IOException {
        try (var segment = TestSegment.onNodes(8, 50, 30, 20);
                var session = onNode(segment, 1).openSession()) {
            load(session, 0, 100);

            var statistics = segment.attach().readStatistics();
            assertThat(statistics.partitions())
                    .allSatisfy(partition -> assertThat(partition.buffers().used())
                            .isEqualTo(partition.buffers().total()));
            assertThat(statistics.partitions())
                    .allSatisfy(partition -> assertThat(partition.evictions()).isZero());
        }
    }

    @Test
    void aLoneWorkerKeepsTheHitRatioOfOneUndividedPool() throws IOException {
        double divided = skewedHitRatio(TestSegment.onNodes(8, 64, 64, 64, 64), 2);
        double undivided = skewedHitRatio(TestSegment.of(8, 256), -1);

        assertThat(divided).isGreaterThan(0.97 * undivided);
    }

    @Test
    void aMissIsAdmittedAtHomeWhileHomeIsNotATurnAhead() throws IOException {
        try (var segment = TestSegment.onNodes(8, 40, 40);
                var zero = onNode(segment, 0).openSession();
                var one = onNode(segment, 1).openSession()) {
            for (long block = 0; block < 30; block++) {
                assertThat(nodeOf(zero, block)).isZero();
                assertThat(nodeOf(one, 1000 + block)).isEqualTo(1);
            }
        }
    }

    @Test
    void whatIsUsedAgainStaysLongerThanWhatIsUsedOnce() throws IOException {
        try (var segment = TestSegment.ofBuffers(64);
                var session = segment.attach().openSession()) {
            for (int round = 0; round < 5; round++) {
                load(session, 0, 20);
            }
            load(session, 1000, 1080);

            int kept = 0;
            for (long block = 0; block < 20; block++) {
                long handle = session.tryPin(SPACE, block);
                kept += handle == 0 ? 0 : 1;
                if (handle != 0) {
                    session.unpin(handle);
                }
            }
            assertThat(kept).isEqualTo(20);
        }
    }

    @Test
    void aScanOfAnyLengthEvictsNothingThatWasUsedTwice() throws IOException {
        try (var segment = TestSegment.ofBuffers(512);
                var session = segment.attach().openSession()) {
            load(session, 0, 200);
            load(session, 0, 200);

            load(session, 10_000, 20_000);

            for (long block = 0; block < 200; block++) {
                long handle = session.tryPin(SPACE, block);
                assertThat(handle).as("block %d", block).isNotZero();
                session.unpin(handle);
            }
        }
    }

    @Test
    void whatWasEvictedFromProbationAndComesBackSurvivesTheNextScan() throws IOException {
        try (var segment = TestSegment.ofBuffers(512);
                var session = segment.attach().openSession()) {
            load(session, 10_000, 10_512);
            load(session, 0, 1);
            load(session, 20_000, 20_200);
            assertThat(session.tryPin(SPACE, 0)).isZero();

            load(session, 0, 1);
            load(session, 30_000, 30_400);

            long handle = session.tryPin(SPACE, 0);
            assertThat(handle).isNotZero();
            session.unpin(handle);
        }
    }

    @Test
    void buffersThatBecomeFreeBehindTheHandAreFound() throws IOException {
        try (var segment = TestSegment.ofBuffers(4096);
                var session = segment.attach().openSession()) {
            load(session, 0, 20_000);
            var pool = segment.attach();
            int freed = 0;
            for (long index = 0; index < 2048; index++) {
                long at = pool.segment().descriptor(BufferNumber.of(0, index));
                long word = pool.descriptors().state(at);
                if (StateWord.phase(word) == StateWord.CLAIMED) {
                    continue;
                }
                long hash = LookupTable.hash(
                        pool.descriptors().space(at), pool.descriptors().block(at));
                assertThat(pool.table().remove(hash, BufferNumber.of(0, index), 60, 1_000_000_000L))
                        .isTrue();
                BufferDescriptorLayout.STATE.set(
                        segment.control, at, StateWord.of(StateWord.FREE, 0, StateWord.version(word)));
                freed++;
            }
            assertThat(freed).isGreaterThan(1900);

            load(session, 100_000, 110_000);

            assertThat(pool.readStatistics().partitions().getFirst().buffers().used())
                    .isGreaterThan(4096 - 2L * ClockSweep.BATCH_MAX);
        }
    }

    @Test
    void aSweeperThatIsStoppedWithItsVictimsBlocksNobody() throws IOException {
        try (var segment = TestSegment.ofBuffers(64);
                var stopped = segment.attach().openSession();
                var session = segment.attach().openSession()) {
            load(stopped, 0, 1);
            var handles = new ArrayList<Long>();

            for (long block = 100; block < 164; block++) {
                handles.add(session.pin(SPACE, block, LOADER));
            }

            assertThat(handles).doesNotHaveDuplicates();
            assertThat(segment.attach()
                            .readStatistics()
                            .numaNodes()
                            .getFirst()
                            .counters()
                            .steals())
                    .isPositive();
            handles.forEach(session::unpin);
        }
    }

    @Test
    void aPageThatIsBeingEvictedByAStoppedSweeperIsTakenBack() throws IOException {
        try (var segment = TestSegment.ofBuffers(8);
                var session = segment.attach().openSession()) {
            long handle = session.pin(SPACE, 0, LOADER);
            session.unpin(handle);
            var pool = segment.attach();
            long at = pool.segment().descriptor(handle);
            long evicting = StateWord.evicting(pool.descriptors().state(at), 7);
            BufferDescriptorLayout.STATE.set(segment.control, at, evicting);

            assertThat(session.pin(SPACE, 0, LOADER)).isEqualTo(handle);

            assertThat(pool.readStatistics().numaNodes().getFirst().counters().rescues())
                    .isEqualTo(1);
            assertThat(StateWord.phase(pool.descriptors().state(at))).isEqualTo(StateWord.VALID);
            session.unpin(handle);
        }
    }

    @Test
    void dirtyPagesAreNotVictims() throws IOException {
        try (var segment = TestSegment.ofBuffers(8);
                var session = segment.attach().openSession()) {
            session.unpin(session.pin(SPACE, 0, LOADER));
            var pool = segment.attach();
            long at = pool.segment().descriptor(BufferNumber.of(0, 0));
            long dirty = pool.descriptors().state(at) | StateWord.DIRTY;
            BufferDescriptorLayout.STATE.set(segment.control, at, dirty);

            load(session, 100, 200);

            assertThat(pool.descriptors().tagIs(at, SPACE, 0)).isTrue();
            assertThat(pool.readStatistics().partitions().getFirst().buffers().dirty())
                    .isEqualTo(1);
        }
    }

    @Test
    void onePinnedPageInAPoolOfTwoLeavesOneForEverythingElse() throws IOException {
        try (var segment = TestSegment.ofBuffers(2);
                var session = segment.attach().openSession()) {
            long pinned = session.pin(SPACE, 0, LOADER);

            load(session, 1, 50);

            BlockContent.check(session.memory(pinned), SPACE, 0);
            session.unpin(pinned);
        }
    }

    @Test
    void aPoolOfOneBufferWorks() throws IOException {
        try (var segment = TestSegment.ofBuffers(1);
                var session = segment.attach().openSession()) {
            load(session, 0, 50);
        }
    }

    private static double skewedHitRatio(TestSegment segment, int node) throws IOException {
        try (segment;
                var session = onNode(segment, node).openSession()) {
            var random = new SplittableRandom(17);
            for (int i = 0; i < 30_000; i++) {
                double skewed = Math.pow(random.nextDouble(), 3);
                long block = (long) (skewed * 1000);
                session.unpin(session.pin(SPACE, block, LOADER));
            }
            var nodes = segment.attach().readStatistics().numaNodes();
            double hits =
                    nodes.stream().mapToLong(usage -> usage.counters().hits()).sum();
            return hits / 30_000;
        }
    }

    private static int nodeOf(PoolSession session, long block) throws IOException {
        long handle = session.pin(SPACE, block, LOADER);
        int node = session.numaNode(handle);
        session.unpin(handle);
        return node;
    }

    private static BufferPool onNode(TestSegment segment, int node) {
        return segment.attach(100 + node, TestSegment.patient().withCurrentNumaNode(() -> node));
    }

    private static void load(PoolSession session, long from, long to) throws IOException {
        for (long block = from; block < to; block++) {
            long handle = session.pin(SPACE, block, LOADER);
            BlockContent.check(session.memory(handle), SPACE, block);
            session.unpin(handle);
        }
    }
}
