package io.numabufferpool.pool;

import io.numabufferpool.layout.SpaceTableLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * A space that this process may change, by {@link BufferPool#openWritableSpace}. Thread-safe. Its pages in the pool are one content
 * for all that opened it so; the file follows.
 */
public final class WritableSpace {
    private static final long PARK_NANOS = 1_000_000;

    private final MemorySegment control;
    private final SpaceTable spaces;
    private final int number;
    private final long at;
    private final int clientNumber;
    private final Durability durability;

    WritableSpace(
            MemorySegment control, SpaceTable spaces, int number, long at, int clientNumber, Durability durability) {
        this.control = control;
        this.spaces = spaces;
        this.number = number;
        this.at = at;
        this.clientNumber = clientNumber;
        this.durability = durability;
    }

    /** For {@link PoolSession}. Not 0. */
    public int number() {
        return number;
    }

    public Durability durability() {
        return durability;
    }

    /**
     * Asks after each look-up, because the content may be half of a change: one read of a line that seldom changes.
     *
     * @throws PoolException.PeerDied until somebody has recovered the space
     */
    public void requireWhole() {
        long crashes = crashEpoch();
        if (crashes != recoveredEpoch()) {
            throw new PoolException.PeerDied("a client died while changes of space " + Integer.toUnsignedString(number)
                    + " were half done or not in its log (crash " + crashes + ", recovered up to "
                    + recoveredEpoch() + "): recover the space, from its log if it has one, before anybody reads it");
        }
    }

    /** Counts deaths that may have left it half changed. */
    public long crashEpoch() {
        return (long) SpaceTableLayout.CRASH_EPOCH.getVolatile(control, at);
    }

    private long recoveredEpoch() {
        return (long) SpaceTableLayout.RECOVERED_EPOCH.getVolatile(control, at);
    }

    /**
     * Makes this client the one that recovers the space.
     *
     * @return the crash epoch to end it with, or -1 if there is nothing to recover, any more
     * @throws PoolException.Stuck if another client takes longer than {@code waitNanos}
     */
    public long beginRecovery(long waitNanos) {
        long deadline = System.nanoTime() + waitNanos;
        while (!SpaceTableLayout.RECOVERER.compareAndSet(control, at, 0, clientNumber)) {
            if (System.nanoTime() - deadline > 0) {
                throw new PoolException.Stuck("space " + Integer.toUnsignedString(number)
                        + " is being recovered by client "
                        + (int) SpaceTableLayout.RECOVERER.getVolatile(control, at) + " for " + waitNanos / 1_000_000
                        + " ms; continue that process if it is stopped, or end it");
            }
            LockSupport.parkNanos(PARK_NANOS);
        }
        long crashes = crashEpoch();
        if (crashes == recoveredEpoch()) {
            SpaceTableLayout.RECOVERER.setRelease(control, at, 0);
            return -1;
        }
        return crashes;
    }

    /** Ends it: with success for all deaths up to {@code crashEpoch}, or without. */
    public void endRecovery(long crashEpoch, boolean recovered) {
        if (recovered) {
            SpaceTableLayout.RECOVERED_EPOCH.setVolatile(control, at, crashEpoch);
        }
        SpaceTableLayout.RECOVERER.compareAndSet(control, at, clientNumber, 0);
    }

    /** The log is durable up to here, as far as anybody has said. */
    public long loggedPosition() {
        return (long) SpaceTableLayout.LOGGED_POSITION.getVolatile(control, at);
    }

    /** Says that the log is durable up to {@code position}; a death of who changed pages up to there costs nobody a recovery. */
    public void raiseLoggedPosition(long position) {
        for (long known = loggedPosition(); position > known; known = loggedPosition()) {
            if (SpaceTableLayout.LOGGED_POSITION.compareAndSet(control, at, known, position)) {
                return;
            }
        }
    }

    /** Counts deaths that left pages that are in the log, but not in the file: whoever sees it change writes them. */
    public int orphanings() {
        return (int) SpaceTableLayout.ORPHANS.getOpaque(control, at);
    }

    /** Runs something that only one process may do at a time with the files of spaces, like changing a length. */
    public void whileLocked(long waitNanos, Runnable action) {
        spaces.whileLocked(waitNanos, action);
    }

    /**
     * Ends this process's use. If it was the last and left nothing to write, the next one finds the pages still good.
     *
     * @param file as at opening; its lock is given back
     */
    public void close(SpaceFile file, long waitNanos) {
        spaces.closeWritable(this, file, waitNanos);
    }

    long at() {
        return at;
    }
}
