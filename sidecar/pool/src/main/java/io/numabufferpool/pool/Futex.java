package io.numabufferpool.pool;

import io.numabufferpool.linux.Linux;
import java.lang.foreign.MemorySegment;

/** Sleeping on a 4-byte word of shared memory, between processes. A fake inside one JVM serves the unit tests. */
interface Futex {
    /** Sleeps while the word equals {@code expected}, at most {@code timeoutNanos}; may return for no reason. */
    void sleep(MemorySegment word, int expected, long timeoutNanos);

    /** Wakes all sleepers of the word. */
    void wakeAll(MemorySegment word);

    static Futex of(Linux linux) {
        return new Futex() {
            @Override
            public void sleep(MemorySegment word, int expected, long timeoutNanos) {
                // Woken, changed, timed out, interrupted: the caller looks at the word again in every case.
                linux.futexWait(word, expected, timeoutNanos);
            }

            @Override
            public void wakeAll(MemorySegment word) {
                linux.futexWake(word, Integer.MAX_VALUE);
            }
        };
    }
}
