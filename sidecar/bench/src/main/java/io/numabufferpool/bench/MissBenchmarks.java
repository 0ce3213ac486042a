package io.numabufferpool.bench;

import static io.numabufferpool.bench.BenchSegment.SPACE;

import io.numabufferpool.pool.BlockLoader;
import io.numabufferpool.pool.PoolSession;
import java.io.IOException;
import java.util.ArrayList;

/** What the way of a page into the pool costs without its I/O: a victim, its eviction, the admission. */
final class MissBenchmarks {
    private static final BlockLoader NO_IO = (target, block) -> {};
    private static final int CLIENT = 3;
    private static final int MISSES = 5_000;
    private static final int SLOTS = 1024;

    /** Beyond every block that is in the pool. */
    private static final long FIRST_BLOCK = 1L << 40;

    /** Pins in each ledger that a sweeper has to look at. */
    private static final int PINS = 4;

    private MissBenchmarks() {}

    static Figure admit(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            return measure(session).micros("miss.admit", "admit and evict, no I/O", 1.0, "one session");
        }
    }

    /** The whole miss with every slot leased: an upper bound of the victim's part of it. */
    static Figure victim(BenchSegment segment) throws Exception {
        var sessions = new ArrayList<PoolSession>();
        try {
            var pool = segment.attach(CLIENT);
            for (int slot = 0; slot < SLOTS; slot++) {
                var session = pool.openSession();
                sessions.add(session);
                for (int i = 0; i < PINS && slot > 0; i++) {
                    session.pin(SPACE, i, NO_IO);
                }
            }
            return measure(sessions.getFirst())
                    .micros(
                            "victim.select",
                            "whole miss, no I/O",
                            0.5,
                            SLOTS + " slots with " + PINS
                                    + " pins each; the admission is in it, so this is an upper bound");
        } finally {
            for (var session : sessions.subList(sessions.isEmpty() ? 0 : 1, sessions.size())) {
                unpinAll(session);
                session.close();
            }
            if (!sessions.isEmpty()) {
                sessions.getFirst().close();
            }
        }
    }

    private static void unpinAll(PoolSession session) throws IOException {
        for (int i = 0; i < PINS; i++) {
            long handle = session.tryPin(SPACE, i);
            session.unpin(handle);
            session.unpin(handle);
        }
    }

    private static InterleavedSlices measure(PoolSession session) throws Exception {
        var next = new long[] {FIRST_BLOCK};
        InterleavedSlices.Subject misses = times -> {
            for (int i = 0; i < times; i++) {
                session.unpin(session.pin(SPACE, next[0]++, NO_IO));
            }
            return next[0];
        };
        return InterleavedSlices.measure(misses, misses, MISSES);
    }
}
