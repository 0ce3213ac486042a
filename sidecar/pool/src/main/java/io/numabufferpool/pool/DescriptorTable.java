package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;

/**
 * State words and tags, by the descriptor's offset in the control file. Thread-safe: every change of a state word is a
 * compare-and-set of all 64 bits, and who moves a word with WAITERS on wakes its sleepers.
 */
final class DescriptorTable {
    private final MemorySegment control;
    private final Futex futex;

    DescriptorTable(MemorySegment control, Futex futex) {
        this.control = control;
        this.futex = futex;
    }

    long state(long at) {
        return (long) BufferDescriptorLayout.STATE.getVolatile(control, at);
    }

    long stateAcquire(long at) {
        return (long) BufferDescriptorLayout.STATE.getAcquire(control, at);
    }

    boolean compareAndSet(long at, long expected, long next) {
        return BufferDescriptorLayout.STATE.compareAndSet(control, at, expected, next);
    }

    /**
     * Moves a word that is this owner's in that phase; only WAITERS may change meanwhile. False: it is no longer his
     * (rescued, stolen, or reaped). Wakes if somebody sleeps.
     */
    boolean moveOn(long at, int phase, int owner, long next) {
        // Only the flag WAITERS can make the compare-and-set fail while the owner stays, and it is set once.
        for (int attempt = 0; attempt < 4; attempt++) {
            long word = state(at);
            if (!StateWord.is(word, phase, owner)) {
                return false;
            }
            if (compareAndSet(at, word, next | (word & StateWord.VERSION_MASK))) {
                if (StateWord.has(word, StateWord.WAITERS)) {
                    wake(at);
                }
                return true;
            }
        }
        return false;
    }

    /** The same where losing the word can only mean that this process was taken for dead. */
    void mustMoveOn(long at, int phase, int owner, long next) {
        if (!moveOn(at, phase, owner, next)) {
            throw notOwned(at, owner);
        }
    }

    private PoolException.CorruptSegment notOwned(long at, int owner) {
        return new PoolException.CorruptSegment("buffer at " + at + " was " + StateWord.describe(state(at))
                + " where slot " + (owner - 1)
                + " owned it: this process was reaped while it was alive (was its lock"
                + " on clients.lock closed?); attach again");
    }

    int space(long at) {
        return (int) BufferDescriptorLayout.SPACE.getOpaque(control, at);
    }

    long block(long at) {
        return (long) BufferDescriptorLayout.BLOCK.getOpaque(control, at);
    }

    boolean tagIs(long at, int space, long block) {
        return block(at) == block && space(at) == space;
    }

    /** By the owner while LOADING and before the insertion, whose compare-and-set publishes it. */
    void setTag(long at, int space, long block) {
        BufferDescriptorLayout.BLOCK.setOpaque(control, at, block);
        BufferDescriptorLayout.SPACE.setOpaque(control, at, space);
    }

    int flusher(long at) {
        return (int) BufferDescriptorLayout.FLUSHER.getAcquire(control, at);
    }

    boolean setFlusher(long at, int owner) {
        return BufferDescriptorLayout.FLUSHER.compareAndSet(control, at, 0, owner);
    }

    boolean clearFlusher(long at, int owner) {
        return BufferDescriptorLayout.FLUSHER.compareAndSet(control, at, owner, 0);
    }

    long logPosition(long at) {
        return (long) BufferDescriptorLayout.LOG_POSITION.getOpaque(control, at);
    }

    /** Client number of who changed the page last. */
    int dirtier(long at) {
        return (int) BufferDescriptorLayout.DIRTIER.getOpaque(control, at);
    }

    /** By the owner of WRITING, before {@link #endWriting}. */
    void setDirtied(long at, int clientNumber, long logPosition) {
        BufferDescriptorLayout.LOG_POSITION.setOpaque(control, at, logPosition);
        BufferDescriptorLayout.DIRTIER.setOpaque(control, at, clientNumber);
    }

    /** By the reaper. */
    boolean orphan(long at, int clientNumber) {
        return BufferDescriptorLayout.DIRTIER.compareAndSet(
                control, at, clientNumber, BufferDescriptorLayout.DIRTIER_DIED);
    }

    /** Ends this owner's WRITING in the next version, with more and fewer flags, and wakes if somebody sleeps. */
    void endWriting(long at, int owner, long set, long cleared) {
        // Others can only raise usageCount and set WAITERS meanwhile: a handful of times.
        for (long word = state(at); ; word = state(at)) {
            if (!StateWord.is(word, StateWord.VALID, owner)) {
                throw notOwned(at, owner);
            }
            if (compareAndSet(at, word, StateWord.written(word, cleared) | set)) {
                if (CrashPoint.ARMED) {
                    CrashPoint.WRITING_ENDED.reached();
                }
                if (StateWord.has(word, StateWord.WAITERS)) {
                    wake(at);
                }
                return;
            }
        }
    }

    /** Sleeps until the word may have changed from {@code word}, after setting WAITERS in it. Returns early at will. */
    void sleepWhile(long at, long word, long timeoutNanos) {
        long waited = word | StateWord.WAITERS;
        if (word == waited || compareAndSet(at, word, waited)) {
            futex.sleep(futexWord(at), StateWord.futexWord(waited), timeoutNanos);
        }
    }

    void wake(long at) {
        futex.wakeAll(futexWord(at));
    }

    private MemorySegment futexWord(long at) {
        return control.asSlice(at + BufferDescriptorLayout.STATE_OFFSET, Integer.BYTES);
    }
}
