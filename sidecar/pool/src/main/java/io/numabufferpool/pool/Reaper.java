package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Frees what dead clients left in the segment. One reaper at a time in a segment (the sidecar); restartable: a reaper
 * that died half way is replaced by one that begins again.
 *
 * <p>Order (each step leaves what the next needs, the slots go last so that nobody gets a number whose buffers are still
 * owned): ledgers; bucket locks, also the reaper's own; state words; sleepers; slots.
 */
public final class Reaper {
    /** A live holder needs microseconds; a dead one that is not in the set has to be reaped first. */
    private static final long LOCK_WAIT_NANOS = 1_000_000_000L;

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final SlotTable slots;
    private final SpaceTable spaces;

    private final Futex futex;
    private final int ownNumber;

    /** {@code ownNumber}: client number of the process that reaps. */
    Reaper(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            SlotTable slots,
            SpaceTable spaces,
            Futex futex,
            int ownNumber) {
        this.futex = futex;
        this.ownNumber = ownNumber;
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.table = table;
        this.slots = slots;
        this.spaces = spaces;
    }

    /**
     * Clears pins, locks, half-done loads and evictions of these clients and empties their slots. The caller knows that
     * they are dead and holds their lock bytes meanwhile. Give all that are dead at once: they may block each other.
     *
     * @return what was found, for the log and the event
     * @throws PoolException.Stuck if a lock is held by a client that is not in the set; reap that first if it is dead
     */
    public synchronized Reaped reap(Set<Integer> clientNumbers) {
        var dead = deadSlots(clientNumbers);
        var found = new Tally();
        clientNumbers.forEach(spaces::breakLocks);
        if (dead.isEmpty() && !spaces.anyWritableOpen()) {
            return found.reaped(0);
        }
        dead.stream().forEach(slot -> clearLedger(slot, found));
        if (CrashPoint.ARMED) {
            CrashPoint.REAPED_LEDGERS.reached();
        }
        freeBucketLocks(dead, found);
        if (CrashPoint.ARMED) {
            CrashPoint.REAPED_LOCKS.reached();
        }
        settleBuffers(dead, clientNumbers, found);
        if (CrashPoint.ARMED) {
            CrashPoint.REAPED_BUFFERS.reached();
        }
        wakeSleepers();
        for (int slot = dead.nextSetBit(0); slot >= 0; slot = dead.nextSetBit(slot + 1)) {
            slots.release(slot);
            if (CrashPoint.ARMED) {
                CrashPoint.REAPED_SLOT.reached();
            }
        }
        return found.reaped(dead.cardinality());
    }

    /** Client numbers that hold slots, but for this process's own; the caller finds out which of them are alive. */
    public Set<Integer> clientNumbers() {
        var numbers = new TreeSet<>(slots.holders().keySet());
        numbers.remove(ownNumber);
        return numbers;
    }

    private BitSet deadSlots(Set<Integer> clientNumbers) {
        var dead = new BitSet();
        for (int slot = 0; slot < segment.slotCount; slot++) {
            int clientNumber = slots.clientNumber(slot);
            if (clientNumber != 0 && clientNumbers.contains(clientNumber)) {
                dead.set(slot);
            }
        }
        return dead;
    }

    private void clearLedger(int slot, Tally found) {
        long first = segment.slotOffset(slot) + SlotLayout.LEDGER_OFFSET;
        for (int i = 0; i < SlotLayout.LEDGER_ENTRY_COUNT; i++) {
            long at = first + (long) i * Long.BYTES;
            if ((long) SlotLayout.LEDGER_ENTRY.getAcquire(control, at) != 0) {
                SlotLayout.LEDGER_ENTRY.setRelease(control, at, 0L);
                // A writer may wait for this reader; if this reaper dies here, it looks again by itself.
                BufferWait.wakeHeld(control, futex, at);
                found.pins++;
            }
        }
    }

    private void freeBucketLocks(BitSet dead, Tally found) {
        for (long bucket = 0; bucket < segment.bucketCount; bucket++) {
            int owner = table.lockOwner(bucket);
            boolean ours = owner == LookupBucketLayout.REAPER || (owner > 0 && dead.get(owner - 1));
            if (ours && table.breakLock(bucket, owner)) {
                found.bucketLocks++;
            }
        }
    }

    private void settleBuffers(BitSet dead, Set<Integer> clientNumbers, Tally found) {
        var crashed = new TreeSet<Integer>();
        var orphaned = new TreeSet<Integer>();
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            for (long index = 0; index < segment.descriptorCount(partition); index++) {
                long at = segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES;
                int owner = StateWord.owner(descriptors.stateAcquire(at));
                if (owner > 0 && dead.get(owner - 1)) {
                    settle(at, BufferNumber.of(partition, index), owner, found);
                    if (CrashPoint.ARMED) {
                        CrashPoint.REAPED_BUFFER.reached();
                    }
                }
                int flusher = descriptors.flusher(at);
                if (flusher > 0 && dead.get(flusher - 1)) {
                    descriptors.clearFlusher(at, flusher);
                }
                if (StateWord.has(descriptors.stateAcquire(at), StateWord.DIRTY)
                        && clientNumbers.contains(descriptors.dirtier(at))) {
                    orphan(at, crashed, orphaned, found);
                }
            }
        }
        orphaned.forEach(spaces::orphaned);
    }

    /** A change that its maker did not live to see written: it is whole, but perhaps only half of what belongs together. */
    private void orphan(long at, Set<Integer> crashed, Set<Integer> orphaned, Tally found) {
        int space = descriptors.space(at);
        boolean logged = descriptors.logPosition(at) <= spaces.loggedPosition(space);
        if (!logged && crashed.add(space)) {
            spaces.crashed(space);
        }
        orphaned.add(space);
        // After what follows from it: a reaper that begins again finds the page once more, or all is done.
        descriptors.orphan(at, descriptors.dirtier(at));
        found.orphaned++;
    }

    /** One buffer that a dead slot owns. Pinners, thieves and waiters may change the word meanwhile, never its owner's part. */
    private void settle(long at, long number, int owner, Tally found) {
        long word = descriptors.state(at);
        switch (StateWord.phase(word)) {
            case StateWord.EVICTING -> {
                // Lost: a pinner took it back. Either way it is VALID and mapped.
                descriptors.compareAndSet(at, word, StateWord.givenBack(word));
                found.kept++;
            }
            case StateWord.LOADING, StateWord.UNMAPPING -> {
                long hash = LookupTable.hash(descriptors.space(at), descriptors.block(at));
                table.remove(hash, number, LookupBucketLayout.REAPER, LOCK_WAIT_NANOS);
                free(at, StateWord.phase(word), owner, found);
            }
            case StateWord.CLAIMED -> free(at, StateWord.CLAIMED, owner, found);
            case StateWord.VALID -> tear(at, owner, found);
            default ->
                throw new PoolException.CorruptSegment("buffer " + Long.toHexString(number) + " is "
                        + StateWord.describe(word) + ", a state that has no owner: the control file was overwritten;"
                        + " restart the pod");
        }
    }

    private void free(long at, int phase, int owner, Tally found) {
        if (descriptors.moveOn(at, phase, owner, StateWord.of(StateWord.FREE, 0, 0))) {
            found.freed++;
        }
    }

    /** Its writer died inside the content: one compare-and-set takes the lock away and says so. */
    private void tear(long at, int owner, Tally found) {
        // Before the flag: who sees the page torn may see at once why.
        spaces.crashed(descriptors.space(at));
        // Others can only raise usageCount meanwhile, USAGE_COUNT_MAX times.
        for (long word = descriptors.state(at);
                StateWord.is(word, StateWord.VALID, owner);
                word = descriptors.state(at)) {
            long torn = StateWord.bump(word) & ~(StateWord.WRITING | StateWord.WAITERS | StateWord.OWNER_MASK);
            if (descriptors.compareAndSet(at, word, torn | StateWord.TORN)) {
                descriptors.wake(at);
                found.torn++;
                return;
            }
        }
    }

    /** A dead process may have moved a word on and not woken its sleepers. */
    private void wakeSleepers() {
        for (int slot = 0; slot < segment.slotCount; slot++) {
            long number = (long) SlotLayout.WAIT_ON.getVolatile(control, segment.slotOffset(slot));
            if (segment.hasBuffer(number)) {
                descriptors.wake(segment.descriptor(number));
            }
        }
    }

    private static final class Tally {
        int pins;
        int bucketLocks;
        int freed;
        int kept;
        int torn;
        int orphaned;

        Reaped reaped(int slots) {
            return new Reaped(slots, pins, bucketLocks, freed, kept, torn, orphaned);
        }
    }

    /** Counts of what was given back. */
    public record Reaped(
            int slots,
            int pins,
            int bucketLocks,
            int buffersFreed,
            int buffersKept,
            int buffersTorn,
            int buffersOrphaned) {}
}
