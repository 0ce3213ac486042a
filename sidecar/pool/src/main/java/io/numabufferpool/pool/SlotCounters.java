package io.numabufferpool.pool;

import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import java.lang.foreign.MemorySegment;

/** The counters of one slot. Only its owner adds, so a plain read and an opaque store are enough. */
final class SlotCounters {
    private final MemorySegment control;
    private final long countersOffset;

    SlotCounters(Segment segment, int slot) {
        this.control = segment.control;
        this.countersOffset = segment.slotOffset(slot) + SlotLayout.COUNTERS_OFFSET;
    }

    void add(PoolCounter counter, int counterGroup) {
        long at = countersOffset + counterGroup * PoolCounter.GROUP_BYTES + counter.offsetBytes();
        SlotLayout.COUNTER.setOpaque(control, at, (long) SlotLayout.COUNTER.get(control, at) + 1);
    }

    long read(PoolCounter counter, int counterGroup) {
        long at = countersOffset + counterGroup * PoolCounter.GROUP_BYTES + counter.offsetBytes();
        return (long) SlotLayout.COUNTER.getOpaque(control, at);
    }
}
