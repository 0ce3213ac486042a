package io.numabufferpool.pool;

import java.util.Set;

/**
 * Frees what dead clients left in the segment. One reaper at a time in a segment (the sidecar); restartable: a reaper
 * that died half way is replaced by one that begins again.
 */
public final class Reaper {
    Reaper() {}

    /**
     * Clears pins, locks, half-done loads and evictions of these clients and empties their slots. The caller knows that
     * they are dead and holds their lock bytes meanwhile. Give all that are dead at once: they may block each other.
     *
     * @return what was found, for the log and the event
     * @throws PoolException.Stuck if a lock is held by a client that is not in the set; reap that first if it is dead
     */
    public Reaped reap(Set<Integer> clientNumbers) {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** Client numbers that hold slots, whoever they are; the caller finds out which of them are alive. */
    public Set<Integer> clientNumbers() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** Counts of what was given back. */
    public record Reaped(int slots, int pins, int bucketLocks, int buffersFreed, int buffersKept, int buffersTorn) {}

    private static UnsupportedOperationException unavailableException() {
        return new UnsupportedOperationException("signatures first; the protocol follows");
    }
}
