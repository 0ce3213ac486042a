package io.numabufferpool.bench;

import static io.numabufferpool.bench.BenchSegment.SPACE;

import io.numabufferpool.pool.BlockLoader;
import io.numabufferpool.pool.PoolSession;
import java.io.IOException;

/** Pin and unpin of one page by this thread, while another core does the same or does nothing. */
final class ContendedBenchmark {
    private static final BlockLoader NO_IO = (target, block) -> {};
    private static final int CLIENT = 4;
    private static final int PINS = 50_000;
    private static final long BLOCK = 1;

    private volatile boolean working;
    private volatile boolean stop;

    private ContendedBenchmark() {}

    static Figure run(BenchSegment segment) throws Exception {
        return new ContendedBenchmark().measure(segment);
    }

    private Figure measure(BenchSegment segment) throws Exception {
        var pool = segment.attach(CLIENT);
        try (var session = pool.openSession();
                var other = pool.openSession()) {
            var rival = Thread.ofPlatform().start(() -> compete(other));
            try {
                return InterleavedSlices.measure(
                                times -> together(session, times), times -> pinAndUnpin(session, times), PINS)
                        .ratio("pin.contended", "alone", 1.05);
            } finally {
                stop = true;
                rival.join();
            }
        }
    }

    private long together(PoolSession session, int times) throws IOException {
        working = true;
        try {
            return pinAndUnpin(session, times);
        } finally {
            working = false;
        }
    }

    private void compete(PoolSession session) {
        try {
            while (!stop) {
                if (working) {
                    pinAndUnpin(session, 64);
                } else {
                    Thread.onSpinWait();
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static long pinAndUnpin(PoolSession session, int times) throws IOException {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            long handle = session.pin(SPACE, BLOCK, NO_IO);
            sum += handle;
            session.unpin(handle);
        }
        return sum;
    }
}
