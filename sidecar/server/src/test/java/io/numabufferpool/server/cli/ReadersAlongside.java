package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.PoolSpace;
import io.numabufferpool.server.attach.TestFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that read random blocks of a file through the pool until they are told to stop, each block checked whole. */
final class ReadersAlongside implements AutoCloseable {
    private static final int EDITION = 7;

    private final PoolClient client;
    private final PoolSpace space;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<Future<Void>> results = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong reads = new AtomicLong();

    ReadersAlongside(Path attachFolder, Path file, int blocks, int threads) throws IOException {
        TestFile.writeBlocks(file, blocks, EDITION);
        client = PoolClient.attach(attachFolder);
        space = client.openFile(file);
        for (int i = 0; i < threads; i++) {
            var random = new SplittableRandom(i);
            Callable<Void> work = () -> read(random);
            results.add(executor.submit(work));
        }
    }

    PoolClient client() {
        return client;
    }

    PoolSpace space() {
        return space;
    }

    long reads() {
        return reads.get();
    }

    private Void read(SplittableRandom random) throws IOException {
        try (var session = client.openSession();
                var arena = Arena.ofConfined()) {
            var copy = arena.allocate(client.bufferBytes(), Long.BYTES);
            while (!stop.get()) {
                long block = random.nextLong(space.blockCount());
                if (random.nextBoolean()) {
                    session.read(space, block, copy);
                    assertThat(TestFile.holds(copy, block, EDITION))
                            .as("block %d", block)
                            .isTrue();
                } else {
                    try (var pinned = session.pin(space, block)) {
                        assertThat(TestFile.holds(pinned.bytes(), block, EDITION))
                                .as("pinned block %d", block)
                                .isTrue();
                    }
                }
                reads.incrementAndGet();
            }
        }
        return null;
    }

    /** Ends them; the first error of any is thrown. */
    void finish() throws Exception {
        stop.set(true);
        for (var result : results) {
            result.get();
        }
        results.clear();
    }

    @Override
    public void close() {
        stop.set(true);
        executor.close();
        space.close();
        client.close();
    }
}
