package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Many sessions on few buffers, every page checked whole on every access. The seed is printed; a failure is repeated
 * with {@code -Dnumapool.seed=N}, as far as threads let it.
 */
class PoolRaceTest {
    private static final int SPACE = 3;
    private static final int THREADS = 8;
    private static final int OPERATIONS = Integer.getInteger("numapool.race.operations", 15_000);

    private final long seed = Long.getLong("numapool.seed", System.nanoTime());

    @Test
    void noSessionEverSeesAnotherPageWhileAllFightForFewBuffers() throws Exception {
        race(TestSegment.of(16, 24), 40, false);
    }

    @Test
    void noSessionEverSeesAnotherPageWhenHitsAreCommon() throws Exception {
        race(TestSegment.of(16, 64), 70, false);
    }

    @Test
    void partitionsOfSeveralNodesWorkAsOnePool() throws Exception {
        race(TestSegment.onNodes(16, 10, 7, 20, 3), 60, false);
    }

    @Test
    void failingLoadsLeaveNothingBehind() throws Exception {
        race(TestSegment.of(16, 24), 40, true);
    }

    @Test
    void tenThousandVirtualThreadsShareAFewSessions() throws Exception {
        try (var segment = TestSegment.of(8, 64);
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var pool = segment.attach();
            var sessions = new ArrayBlockingQueue<PoolSession>(4);
            for (int i = 0; i < 4; i++) {
                sessions.add(pool.openSession());
            }
            var results = new ArrayList<Future<Void>>();
            for (int i = 0; i < 10_000; i++) {
                long block = i % 200;
                Callable<Void> work = () -> {
                    var session = sessions.take();
                    long handle = session.pin(SPACE, block, BlockContent.of(SPACE));
                    BlockContent.check(session.memory(handle), SPACE, block);
                    session.unpin(handle);
                    sessions.put(session);
                    return null;
                };
                results.add(executor.submit(work));
            }
            for (var result : results) {
                result.get();
            }
            sessions.forEach(PoolSession::close);

            PoolChecks.checkNothingIsHeld(pool);
        }
    }

    @Test
    void waitingVirtualThreadsLeaveTheirCarriersToTheOneThatLoads() throws Exception {
        int waiters = 2 * Runtime.getRuntime().availableProcessors() + 2;
        try (var segment = TestSegment.of(waiters + 1, 8);
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var pool = segment.attach();
            var began = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var results = new ArrayList<Future<Void>>();
            results.add(executor.submit(() -> pinOnce(pool, (target, block) -> {
                began.countDown();
                awaitOrFail(goOn);
                BlockContent.fill(target, SPACE, block);
            })));
            began.await();
            for (int i = 0; i < waiters; i++) {
                results.add(executor.submit(() -> pinOnce(pool, BlockContent.of(SPACE))));
            }
            await().until(() ->
                    pool.readStatistics().numaNodes().getFirst().counters().waits() >= waiters);

            results.add(executor.submit(() -> {
                goOn.countDown();
                return null;
            }));

            for (var result : results) {
                result.get();
            }
            PoolChecks.checkNothingIsHeld(pool);
        }
    }

    private static Void pinOnce(BufferPool pool, BlockLoader loader) throws IOException {
        try (var session = pool.openSession()) {
            long handle = session.pin(SPACE, 1, loader);
            BlockContent.check(session.memory(handle), SPACE, 1);
            session.unpin(handle);
        }
        return null;
    }

    private static void awaitOrFail(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void race(TestSegment segment, int blocks, boolean failing) throws Exception {
        System.out.println("PoolRaceTest seed " + seed);
        var pool = segment.attach();
        try (var executor = Executors.newFixedThreadPool(THREADS)) {
            var results = new ArrayList<Future<Void>>();
            for (int i = 0; i < THREADS; i++) {
                var random = new SplittableRandom(seed + i);
                Callable<Void> work = () -> work(pool, random, blocks, failing);
                results.add(executor.submit(work));
            }
            for (var result : results) {
                result.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError("seed " + seed, e.getCause());
        }
        checkQuiet(segment, pool, blocks);
        segment.close();
    }

    /** Holds up to two pages at once, so that eight threads can never have all of 20 buffers pinned. */
    private static Void work(BufferPool pool, SplittableRandom random, int blocks, boolean failing) throws IOException {
        BlockLoader good = BlockContent.of(SPACE);
        BlockLoader bad = (target, block) -> {
            target.fill((byte) 0xEE);
            throw new IOException("made to fail");
        };
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            for (int i = 0; i < OPERATIONS; i++) {
                long block = random.nextInt(blocks);
                boolean fails = failing && random.nextInt(10) == 0;
                if (random.nextBoolean()) {
                    readOnce(session, block, copy, fails ? bad : good);
                } else {
                    pinTwo(session, block, random.nextInt(blocks), fails ? bad : good);
                }
            }
        }
        return null;
    }

    private static void readOnce(PoolSession session, long block, MemorySegment copy, BlockLoader loader) {
        try {
            session.read(SPACE, block, 0, copy, loader);
            BlockContent.check(copy, SPACE, block);
        } catch (IOException e) {
            assertThat(e).hasMessage("made to fail");
        }
    }

    private static void pinTwo(PoolSession session, long block, long other, BlockLoader loader) throws IOException {
        long first;
        try {
            first = session.pin(SPACE, block, loader);
        } catch (IOException e) {
            assertThat(e).hasMessage("made to fail");
            return;
        }
        long second = session.tryPin(SPACE, other);
        BlockContent.check(session.memory(first), SPACE, block);
        if (second != 0) {
            BlockContent.check(session.memory(second), SPACE, other);
            session.unpin(second);
        }
        BlockContent.check(session.memory(first), SPACE, block);
        session.unpin(first);
    }

    /** Afterwards: no pin, no owner, no lock, and every buffer can be used. */
    static void checkQuiet(TestSegment segment, BufferPool pool, int blocks) throws IOException {
        checkQuiet(
                pool,
                segment.layout().partitions().stream()
                        .mapToLong(partition -> partition.bufferCount())
                        .sum(),
                blocks);
    }

    static void checkQuiet(BufferPool pool, long bufferCount, int blocks) throws IOException {
        PoolChecks.checkNothingIsHeld(pool);
        try (var session = pool.openSession()) {
            var handles = new ArrayList<Long>();
            for (long block = 0; block < bufferCount; block++) {
                handles.add(session.pin(SPACE + 1, blocks + block, BlockContent.of(SPACE + 1)));
            }
            handles.forEach(session::unpin);
        }
    }
}
