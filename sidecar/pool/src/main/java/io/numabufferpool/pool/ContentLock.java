package io.numabufferpool.pool;

import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Who may read and who may change the bytes of a page that this session has pinned. Not thread-safe.
 *
 * <p>Pinning is not locking. A reader publishes SHARED in its own ledger entry, then (full fence) looks for WRITING; a writer sets
 * WRITING in the state word, then (full fence) looks for SHARED in all ledgers and waits for each. So a page that is only read is
 * never written to by its readers, and one of the two always sees the other. The order of the steps, and what each is needed for, is
 * checked in {@code content_lock.pml}.
 */
final class ContentLock {
    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final PinLedger ledger;
    private final SlotTable slots;
    private final BufferWait wait;
    private final Futex futex;
    private final PoolOptions options;
    private final int owner;

    ContentLock(BufferPool pool, PinLedger ledger, BufferWait wait, int owner) {
        this.segment = pool.segment();
        this.control = segment.control;
        this.descriptors = pool.descriptors();
        this.slots = pool.slots();
        this.futex = pool.futex();
        this.options = pool.options();
        this.ledger = ledger;
        this.wait = wait;
        this.owner = owner;
    }

    /**
     * Waits until nobody changes the page; then nobody does before {@link #unlockShared}. Once more if it is held so already.
     *
     * @throws PoolException.Torn if its writer died in it
     * @throws PoolException.Stuck if a writer takes longer than loadWaitNanos
     */
    void lockShared(int position, long number) {
        if (ledger.isExclusive(position)) {
            throw new IllegalStateException("this session is changing " + name(number) + ": it may read it as it is");
        }
        if (ledger.sharedCount(position) > 0) {
            ledger.share(position);
            return;
        }
        long at = segment.descriptor(number);
        long deadline = System.nanoTime() + options.loadWaitNanos();
        while (true) {
            ledger.share(position);
            if (CrashPoint.ARMED) {
                CrashPoint.SHARED_PUBLISHED.reached();
            }
            VarHandle.fullFence();
            long word = descriptors.state(at);
            if (!StateWord.has(word, StateWord.WRITING)) {
                if (StateWord.has(word, StateWord.TORN)) {
                    unlockShared(position, number);
                    throw torn(at);
                }
                return;
            }
            unlockShared(position, number);
            requireTime(deadline, number, word);
            wait.sleepWhile(number, word);
        }
    }

    /** Ends it; the last one wakes a writer that waits for it. */
    void unlockShared(int position, long number) {
        if (ledger.sharedCount(position) == 0) {
            throw new IllegalStateException("this session has not locked " + name(number) + " for reading");
        }
        if (!ledger.unshare(position)) {
            return;
        }
        if (CrashPoint.ARMED) {
            CrashPoint.SHARED_CLEARED.reached();
        }
        // A writer looked before the entry changed and sleeps, or it sees the change.
        VarHandle.fullFence();
        if (StateWord.has(descriptors.state(segment.descriptor(number)), StateWord.WRITING)) {
            BufferWait.wakeHeld(control, futex, ledger.entryOffset(position));
        }
    }

    /**
     * Waits until nobody else reads or changes the page under a lock; then nobody does before {@link #unlockExclusive}.
     *
     * @param evenTorn for who replaces all bytes of the page
     * @throws PoolException.Torn if its writer died in it
     * @throws PoolException.Stuck if a reader or writer takes longer than loadWaitNanos
     */
    void lockExclusive(int position, long number, boolean evenTorn) {
        if (ledger.isExclusive(position)) {
            throw new IllegalStateException("this session is changing " + name(number) + " already");
        }
        if (ledger.sharedCount(position) > 0) {
            throw new IllegalStateException("this session has locked " + name(number)
                    + " for reading; with two sessions that both waited for the other's to end, none would go on:"
                    + " unlock it first, and look at it again afterwards");
        }
        long at = segment.descriptor(number);
        long deadline = System.nanoTime() + options.loadWaitNanos();
        setWriting(at, number, evenTorn, deadline);
        ledger.setExclusive(position, true);
        if (CrashPoint.ARMED) {
            CrashPoint.WRITING_SET.reached();
        }
        boolean alone = false;
        try {
            VarHandle.fullFence();
            awaitReaders(number, deadline);
            alone = true;
        } finally {
            if (!alone) {
                ledger.setExclusive(position, false);
                descriptors.endWriting(at, owner, 0, 0);
            }
        }
    }

    private void setWriting(long at, long number, boolean evenTorn, long deadline) {
        while (true) {
            long word = descriptors.state(at);
            if (StateWord.phase(word) == StateWord.EVICTING) {
                // As in a pin: this session's ledger entry is older than the sweeper's scan, or it is published anew.
                descriptors.compareAndSet(at, word, StateWord.givenBack(word));
            } else if (StateWord.phase(word) != StateWord.VALID) {
                throw new PoolException.CorruptSegment(name(number) + ", pinned by slot " + (owner - 1) + ", is "
                        + StateWord.describe(word)
                        + ": this process was reaped while it was alive (was its lock on clients.lock closed?);"
                        + " attach again");
            } else if (StateWord.has(word, StateWord.WRITING)) {
                requireTime(deadline, number, word);
                wait.sleepWhile(number, word);
            } else if (StateWord.has(word, StateWord.TORN) && !evenTorn) {
                throw torn(at);
            } else if (descriptors.compareAndSet(at, word, StateWord.writing(word, owner))) {
                return;
            }
        }
    }

    private void awaitReaders(long number, long deadline) {
        long shared = LedgerEntry.shared(number);
        for (int word = 0; word < slots.occupancyWords(); word++) {
            for (long bits = slots.occupancy(word); bits != 0; bits &= bits - 1) {
                int slot = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (slot < segment.slotCount) {
                    awaitReader(slot, number, shared, deadline);
                }
            }
        }
    }

    private void awaitReader(int slot, long number, long shared, long deadline) {
        long slotOffset = segment.slotOffset(slot);
        int high = (int) SlotLayout.LEDGER_HIGH.getAcquire(control, slotOffset);
        for (int i = 0; i < Math.min(high, SlotLayout.LEDGER_ENTRY_COUNT); i++) {
            long entryOffset = slotOffset + SlotLayout.LEDGER_OFFSET + (long) i * Long.BYTES;
            while ((long) SlotLayout.LEDGER_ENTRY.getAcquire(control, entryOffset) == shared) {
                if (System.nanoTime() - deadline > 0) {
                    throw new PoolException.Stuck(name(number) + " has been read under a lock by "
                            + slots.ownerName(slot + 1) + " for " + options.loadWaitNanos() / 1_000_000
                            + " ms; continue that process if it is stopped, or end it");
                }
                wait.sleepWhileHeld(number, entryOffset, shared);
            }
        }
    }

    /**
     * Ends it, in the next version of the page.
     *
     * @param set DIRTY if the bytes are newer than the file's, else 0
     * @param cleared TORN and DIRTY if the bytes are the file's, else 0
     */
    void unlockExclusive(int position, long number, long set, long cleared) {
        requireExclusive(position, number);
        ledger.setExclusive(position, false);
        descriptors.endWriting(segment.descriptor(number), owner, set, cleared);
    }

    void requireExclusive(int position, long number) {
        if (!ledger.isExclusive(position)) {
            throw new IllegalStateException("this session has not locked " + name(number) + " for writing");
        }
    }

    private void requireTime(long deadline, long number, long word) {
        if (System.nanoTime() - deadline > 0) {
            throw new PoolException.Stuck(name(number) + " has been changed by "
                    + slots.ownerName(StateWord.owner(word)) + " for " + options.loadWaitNanos() / 1_000_000
                    + " ms; continue that process if it is stopped, or end it");
        }
    }

    private String name(long number) {
        long at = segment.descriptor(number);
        return "block " + descriptors.block(at) + " of space " + Integer.toUnsignedString(descriptors.space(at));
    }

    private PoolException.Torn torn(long at) {
        return PoolException.torn(descriptors.space(at), descriptors.block(at));
    }
}
