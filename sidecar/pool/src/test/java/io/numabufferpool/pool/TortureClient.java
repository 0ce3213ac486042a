package io.numabufferpool.pool;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.SplittableRandom;

/**
 * A client process of {@link PoolTortureTest}: threads that pin, read and check pages until standard input ends or the
 * process is killed. Prints {@code working} once it works; exit status 1 after a wrong page or an error.
 */
final class TortureClient {
    static final int SPACE = 5;
    static final int THREADS = 2;
    static final int PINS_MAX = 4;

    private static volatile boolean stop;

    private TortureClient() {}

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[0]);
        int clientNumber = Integer.parseInt(args[1]);
        long seed = Long.parseLong(args[2]);
        int blocks = Integer.parseInt(args[3]);
        try (var files = SegmentFiles.open(folder)) {
            var pool = files.attach(clientNumber);
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                var random = new SplittableRandom(seed + i);
                threads.add(Thread.ofPlatform().start(() -> workOrExit(pool, random, blocks)));
            }
            System.out.println("working");
            while (System.in.read() >= 0) {
                // Only the end of the input means something.
            }
            stop = true;
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    private static void workOrExit(BufferPool pool, SplittableRandom random, int blocks) {
        try {
            work(pool, random, blocks);
        } catch (IOException | RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void work(BufferPool pool, SplittableRandom random, int blocks) throws IOException {
        BlockLoader loader = BlockContent.of(SPACE);
        var pinned = new ArrayDeque<Long>();
        var pinnedBlocks = new ArrayDeque<Long>();
        try (var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            while (!stop) {
                try (var session = pool.openSession()) {
                    for (int i = 0; i < 2_000 && !stop; i++) {
                        long block = random.nextInt(blocks);
                        if (random.nextInt(3) == 0) {
                            session.read(SPACE, block, 0, copy, loader);
                            BlockContent.check(copy, SPACE, block);
                            continue;
                        }
                        pinned.add(session.pin(SPACE, block, loader));
                        pinnedBlocks.add(block);
                        if (pinned.size() == PINS_MAX) {
                            BlockContent.check(session.memory(pinned.peek()), SPACE, pinnedBlocks.remove());
                            session.unpin(pinned.remove());
                        }
                    }
                    while (!pinned.isEmpty()) {
                        BlockContent.check(session.memory(pinned.peek()), SPACE, pinnedBlocks.remove());
                        session.unpin(pinned.remove());
                    }
                }
            }
        }
    }
}
