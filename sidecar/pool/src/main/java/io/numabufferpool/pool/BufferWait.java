package io.numabufferpool.pool;

import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** How one session sleeps until another one moves on: published in its slot, so that the reaper can wake it. Not thread-safe. */
final class BufferWait {
    /** A wake-up can be lost with the process that owed it: look again after so long. */
    private static final long SLEEP_SLICE_NANOS = 50_000_000;

    /**
     * A futex holds on to the carrier of a virtual thread. With every carrier held by waiters, a loader that is a parked
     * virtual thread never goes on; so virtual threads look again after so long, and leave their carrier meanwhile.
     */
    private static final long VIRTUAL_PARK_NANOS = 200_000;

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final Futex futex;
    private final SlotCounters counters;
    private final long slotOffset;

    BufferWait(Segment segment, DescriptorTable descriptors, Futex futex, SlotCounters counters, int slot) {
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.futex = futex;
        this.counters = counters;
        this.slotOffset = segment.slotOffset(slot);
    }

    /** Sleeps a bounded time while the state word of a buffer is {@code word}. */
    void sleepWhile(long number, long word) {
        counters.add(PoolCounter.WAITS, segment.counterGroup(number));
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(VIRTUAL_PARK_NANOS);
            return;
        }
        SlotLayout.WAIT_ON.setVolatile(control, slotOffset, number);
        descriptors.sleepWhile(segment.descriptor(number), word, SLEEP_SLICE_NANOS);
        SlotLayout.WAIT_ON.setRelease(control, slotOffset, 0L);
    }

    /** Sleeps a bounded time while a ledger entry, at that offset of the control file, has the mode it has in {@code entry}. */
    void sleepWhileHeld(long number, long entryOffset, long entry) {
        counters.add(PoolCounter.WAITS, segment.counterGroup(number));
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(VIRTUAL_PARK_NANOS);
            return;
        }
        futex.sleep(futexWord(control, entryOffset), LedgerEntry.futexWord(entry), SLEEP_SLICE_NANOS);
    }

    /** Wakes who sleeps on that ledger entry. */
    static void wakeHeld(MemorySegment control, Futex futex, long entryOffset) {
        futex.wakeAll(futexWord(control, entryOffset));
    }

    private static MemorySegment futexWord(MemorySegment control, long entryOffset) {
        return control.asSlice(entryOffset + LedgerEntry.FUTEX_OFFSET, Integer.BYTES);
    }
}
