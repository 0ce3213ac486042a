package io.numabufferpool.pool;

import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * One pinner against one sweeper over a single buffer, as close in time as two threads get: either the sweeper sees the pin
 * or the pinner sees EVICTING. What a missing fence costs, only cores of their own can show; the model shows it always.
 */
class PinEvictRaceTest {
    private static final int SPACE = 3;
    private static final int ROUNDS = 100_000;

    @Test
    void thePageStaysForAPinnerOrThePinnerMisses() throws Exception {
        try (var segment = TestSegment.ofBuffers(1);
                var executor = Executors.newFixedThreadPool(2)) {
            var pool = segment.attach();
            Callable<Integer> pinner = () -> {
                int hits = 0;
                try (var session = pool.openSession()) {
                    for (int i = 0; i < ROUNDS; i++) {
                        long handle = session.tryPin(SPACE, 0);
                        if (handle != 0) {
                            BlockContent.check(session.memory(handle), SPACE, 0);
                            BlockContent.check(session.memory(handle), SPACE, 0);
                            session.unpin(handle);
                            hits++;
                        }
                    }
                }
                return hits;
            };
            Callable<Integer> sweeper = () -> {
                try (var session = pool.openSession()) {
                    for (int i = 0; i < ROUNDS / 10; i++) {
                        session.unpin(session.pin(SPACE, i & 1, BlockContent.of(SPACE)));
                    }
                }
                return 0;
            };

            var pinning = executor.submit(pinner);
            var sweeping = executor.submit(sweeper);
            pinning.get();
            sweeping.get();

            PoolChecks.checkNothingIsHeld(pool);
        }
    }
}
