package io.numabufferpool.server.check;

import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.PoolSession;
import io.numabufferpool.client.PoolSpace;
import io.numabufferpool.server.check.CheckResult.Pass;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** Reads a file through a pool with several threads, first each block once in order, then at random, and compares. */
public final class PoolCheck {
    /** Blocks read with one session before the next is leased, where that is asked for. */
    private static final int BLOCKS_PER_SESSION = 64;

    /** Wrong blocks that are told one by one: the first ones help, a million of them do not. */
    private static final int WRONG_TOLD_MAX = 10;

    /** No more blocks. */
    private static final long END = -1;

    private final PoolClient client;
    private final CheckOptions options;
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

    public PoolCheck(PoolClient client, CheckOptions options) {
        this.client = client;
        this.options = options;
    }

    /**
     * Runs both passes.
     *
     * @throws IOException if the file cannot be read, or changes meanwhile
     */
    public CheckResult run(Path file) throws IOException, InterruptedException {
        try (var space = client.openFile(file);
                var digests = FileDigests.of(file, client.bufferBytes(), space.blockCount())) {
            var inOrder = pass(space, digests, this::shareInOrder);
            var atRandom = pass(space, digests, this::atRandom);
            space.checkUnchanged();
            return new CheckResult(
                    file.toString(),
                    client.bufferBytes(),
                    space.blockCount(),
                    inOrder,
                    atRandom,
                    options.seed(),
                    List.copyOf(wrong));
        }
    }

    /** Which blocks a thread reads. */
    private interface Order {
        LongSupplier of(int thread, long blockCount);
    }

    private LongSupplier shareInOrder(int thread, long blockCount) {
        long end = blockCount * (thread + 1) / options.threads();
        var next = new long[] {blockCount * thread / options.threads()};
        return () -> next[0] < end ? next[0]++ : END;
    }

    private LongSupplier atRandom(int thread, long blockCount) {
        var random = new SplittableRandom(options.seed() + thread);
        long beganNanos = System.nanoTime();
        long limitNanos = options.randomTime().toNanos();
        return () -> blockCount > 0 && System.nanoTime() - beganNanos < limitNanos ? random.nextLong(blockCount) : END;
    }

    private Pass pass(PoolSpace space, FileDigests digests, Order order) throws IOException, InterruptedException {
        long beganNanos = System.nanoTime();
        var tasks = new ArrayList<Callable<Pass>>();
        for (int i = 0; i < options.threads(); i++) {
            int thread = i;
            tasks.add(() -> new Reader(space, digests).read(order.of(thread, space.blockCount())));
        }
        try (var threads = Executors.newFixedThreadPool(options.threads())) {
            return sum(threads.invokeAll(tasks), System.nanoTime() - beganNanos);
        }
    }

    private static Pass sum(List<Future<Pass>> parts, long nanos) throws IOException, InterruptedException {
        long blocks = 0;
        long misses = 0;
        long wrongBlocks = 0;
        var hits = new TreeMap<Integer, Long>();
        for (var part : parts) {
            var pass = get(part);
            blocks += pass.blocks();
            misses += pass.misses();
            wrongBlocks += pass.wrongBlocks();
            pass.hitsByNumaNode().forEach((node, count) -> hits.merge(node, count, Long::sum));
        }
        return new Pass(blocks, nanos, misses, wrongBlocks, hits);
    }

    private static Pass get(Future<Pass> part) throws IOException, InterruptedException {
        try {
            return part.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            if (e.getCause() instanceof RuntimeException told) {
                throw told;
            }
            throw new IllegalStateException(e);
        }
    }

    /** One thread of a pass. */
    private final class Reader {
        private final PoolSpace space;
        private final FileDigests digests;
        private final MessageDigest sha256 = FileDigests.sha256();
        private final SortedMap<Integer, Long> hits = new TreeMap<>();
        private long blocks;
        private long misses;
        private long wrongBlocks;

        Reader(PoolSpace space, FileDigests digests) {
            this.space = space;
            this.digests = digests;
        }

        Pass read(LongSupplier order) throws IOException {
            long perSession = options.freshSessions() ? BLOCKS_PER_SESSION : Long.MAX_VALUE;
            boolean more = true;
            while (more) {
                try (var session = client.openSession()) {
                    more = read(session, order, perSession);
                }
            }
            return new Pass(blocks, 0, misses, wrongBlocks, hits);
        }

        private boolean read(PoolSession session, LongSupplier order, long count) throws IOException {
            for (long i = 0; i < count; i++) {
                long block = order.getAsLong();
                if (block == END) {
                    return false;
                }
                compare(session, block);
            }
            return true;
        }

        private void compare(PoolSession session, long block) throws IOException {
            try (var pinned = session.pin(space, block)) {
                blocks++;
                if (pinned.loaded()) {
                    misses++;
                } else {
                    hits.merge(pinned.numaNode(), 1L, Long::sum);
                }
                if (!digests.matches(block, pinned.bytes(), sha256)) {
                    wrongBlocks++;
                    tell("block " + block + " (" + pinned.bytes().byteSize() + " bytes, "
                            + (pinned.loaded() ? "just read" : "found in the pool on NUMA node " + pinned.numaNode())
                            + ") is not what the file has there");
                }
            }
        }

        private void tell(String what) {
            synchronized (wrong) {
                if (wrong.size() < WRONG_TOLD_MAX) {
                    wrong.add(what);
                }
            }
        }
    }
}
