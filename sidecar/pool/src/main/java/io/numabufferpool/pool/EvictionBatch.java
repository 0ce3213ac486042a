package io.numabufferpool.pool;

import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The steps that take pages out of their buffers, for one slot: up to {@link #SIZE_MAX} buffers are set to EVICTING, then all
 * ledgers are read once for the whole batch (after a full fence: either the scan sees a pin or the pinner sees EVICTING),
 * what is pinned goes back, and the rest leaves the lookup table and is CLAIMED by the slot. Not thread-safe.
 */
final class EvictionBatch {
    /** One scan of 1024 ledgers is then less than 0.4 us a victim, and a stopped session holds back little. */
    static final int SIZE_MAX = 64;

    /** No slot holds it. */
    static final int NO_SLOT = -1;

    /** Gets every buffer that was taken, CLAIMED by the slot, and the hash of the block it had. */
    interface Taken {
        void buffer(long number, long hash);
    }

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final SlotTable slots;
    private final SlotCounters counters;
    private final long lockWaitNanos;
    private final int owner;

    private final long[] candidates = new long[SIZE_MAX];
    private final int[] holders = new int[SIZE_MAX];
    private int count;
    private int leasedSlots = 1;
    private int notTaken;
    private int lastHolder = NO_SLOT;
    private long unmappedHash;

    EvictionBatch(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            SlotTable slots,
            SlotCounters counters,
            long lockWaitNanos,
            int owner) {
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.table = table;
        this.slots = slots;
        this.counters = counters;
        this.lockWaitNanos = lockWaitNanos;
        this.owner = owner;
    }

    /** Clean, or torn and so worth nothing; never while its content is being written. */
    static boolean mayGo(long word) {
        return !StateWord.has(word, StateWord.WRITING)
                && (!StateWord.has(word, StateWord.DIRTY) || StateWord.has(word, StateWord.TORN));
    }

    /** Sets a VALID buffer that may go to EVICTING; false if somebody was faster. At most {@link #SIZE_MAX} a batch. */
    boolean add(long number, long at, long validWord) {
        boolean ours = descriptors.compareAndSet(at, validWord, StateWord.evicting(validWord, owner));
        if (ours) {
            holders[count] = NO_SLOT;
            candidates[count++] = number;
            if (CrashPoint.ARMED) {
                CrashPoint.EVICTING_SET.reached();
            }
        }
        return ours;
    }

    boolean full() {
        return count == SIZE_MAX;
    }

    /** Slots that were leased at the last scan, at least 1. */
    int leasedSlots() {
        return leasedSlots;
    }

    /** How many of the last batch stayed: pinned, or taken back by a pinner. */
    int notTaken() {
        return notTaken;
    }

    /** A slot that held one of the last batch, or {@link #NO_SLOT}. */
    int lastHolder() {
        return lastHolder;
    }

    /** Decides over the batch and empties it: pinned ones go back, the others are handed over. */
    void settle(Taken taken) {
        notTaken = 0;
        lastHolder = NO_SLOT;
        if (count == 0) {
            return;
        }
        VarHandle.fullFence();
        scanLedgers();
        try {
            for (int i = 0; i < count; i++) {
                if (holders[i] != NO_SLOT) {
                    notTaken++;
                    lastHolder = holders[i];
                } else if (unmap(candidates[i], segment.descriptor(candidates[i]))) {
                    taken.buffer(candidates[i], unmappedHash);
                } else {
                    notTaken++;
                }
            }
        } finally {
            giveBackTheRest();
        }
    }

    /** What is still EVICTING by this slot; also after a failure, so that nothing stays behind. */
    private void giveBackTheRest() {
        for (int i = 0; i < count; i++) {
            long at = segment.descriptor(candidates[i]);
            long word = descriptors.state(at);
            // If it is not ours any more, a pinner took it back himself.
            if (StateWord.is(word, StateWord.EVICTING, owner)) {
                descriptors.compareAndSet(at, word, StateWord.givenBack(word));
            }
        }
        count = 0;
    }

    private void scanLedgers() {
        int leased = 0;
        for (int word = 0; word < slots.occupancyWords(); word++) {
            for (long bits = slots.occupancy(word); bits != 0; bits &= bits - 1) {
                int slot = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (slot < segment.slotCount) {
                    scanLedger(slot);
                    leased++;
                }
            }
        }
        leasedSlots = Math.max(1, leased);
    }

    private void scanLedger(int slot) {
        long slotOffset = segment.slotOffset(slot);
        int high = (int) SlotLayout.LEDGER_HIGH.getAcquire(control, slotOffset);
        long first = slotOffset + SlotLayout.LEDGER_OFFSET;
        for (int i = 0; i < Math.min(high, SlotLayout.LEDGER_ENTRY_COUNT); i++) {
            long entry = (long) SlotLayout.LEDGER_ENTRY.getAcquire(control, first + (long) i * Long.BYTES);
            if (entry != 0) {
                markHeld(LedgerEntry.bufferNumber(entry), slot);
            }
        }
    }

    private void markHeld(long number, int slot) {
        for (int i = 0; i < count; i++) {
            if (candidates[i] == number) {
                holders[i] = slot;
            }
        }
    }

    /** EVICTING to UNMAPPING by compare-and-set, because a pinner may take it back until then; out of the table; CLAIMED. */
    private boolean unmap(long number, long at) {
        long flags = descriptors.state(at) & (StateWord.DIRTY | StateWord.TORN);
        if (!descriptors.moveOn(at, StateWord.EVICTING, owner, StateWord.of(StateWord.UNMAPPING, owner, 0))) {
            return false;
        }
        if (CrashPoint.ARMED) {
            CrashPoint.UNMAPPING_SET.reached();
        }
        unmappedHash = LookupTable.hash(descriptors.space(at), descriptors.block(at));
        try {
            table.remove(unmappedHash, number, owner, lockWaitNanos);
        } catch (PoolException.Stuck stuck) {
            // Still mapped, and nobody could pin it meanwhile: as good as before.
            long word = StateWord.of(StateWord.VALID, 0, 0) | StateWord.USAGE_ONE | flags;
            descriptors.mustMoveOn(at, StateWord.UNMAPPING, owner, word);
            throw stuck;
        }
        descriptors.mustMoveOn(at, StateWord.UNMAPPING, owner, StateWord.of(StateWord.CLAIMED, owner, 0));
        if (CrashPoint.ARMED) {
            CrashPoint.VICTIM_CLAIMED.reached();
        }
        counters.add(PoolCounter.EVICTIONS, segment.counterGroup(number));
        return true;
    }
}
