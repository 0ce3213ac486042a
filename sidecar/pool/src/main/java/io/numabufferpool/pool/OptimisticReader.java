package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Copies bytes without pinning: the state word before and after has to show the same version of a whole VALID page. The
 * slot's epoch is set meanwhile (full fence), so that memory is never taken from a page while it is copied. Not
 * thread-safe.
 */
final class OptimisticReader {
    private static final long UNREADABLE = StateWord.WRITING | StateWord.TORN;

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final SlotCounters counters;
    private final long slotOffset;
    private long peeked;

    OptimisticReader(Segment segment, DescriptorTable descriptors, LookupTable table, SlotCounters counters, int slot) {
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.table = table;
        this.counters = counters;
        this.slotOffset = segment.slotOffset(slot);
    }

    /** The number of the buffer the bytes came from, or {@link PageFinder#MISS}: then the target is undefined. */
    long tryRead(int space, long block, long offsetBytes, MemorySegment target) {
        return look(space, block, offsetBytes, target);
    }

    /** The same for the eight bytes at an offset, aligned or not: afterwards they are in {@link #peeked}. */
    long tryPeek(int space, long block, long offsetBytes) {
        return look(space, block, offsetBytes, null);
    }

    /** What the last {@link #tryPeek} that found its page read, in the machine's byte order. */
    long peeked() {
        return peeked;
    }

    private long look(int space, long block, long offsetBytes, @Nullable MemorySegment target) {
        long epoch = (long) ControlHeaderLayout.PLACEMENT_EPOCH.getOpaque(control, 0L) + 1;
        SlotLayout.EPOCH.setOpaque(control, slotOffset, epoch);
        VarHandle.fullFence();
        try {
            long number = find(space, block);
            return number != PageFinder.MISS && copy(number, space, block, offsetBytes, target)
                    ? number
                    : PageFinder.MISS;
        } finally {
            SlotLayout.EPOCH.setRelease(control, slotOffset, 0L);
        }
    }

    private long find(int space, long block) {
        long hash = LookupTable.hash(space, block);
        long home = table.home(hash);
        int distance = 0;
        do {
            long bucket = table.bucketOffset(home, distance);
            for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                long entry = table.entry(bucket, i);
                if (entry != 0
                        && LookupBucketLayout.fingerprint(entry) == LookupTable.fingerprint(hash)
                        && descriptors.tagIs(segment.descriptor(entry & BufferNumber.MASK), space, block)) {
                    return entry & BufferNumber.MASK;
                }
            }
        } while (++distance <= table.reach(table.bucketOffset(home, 0)));
        return PageFinder.MISS;
    }

    private boolean copy(long number, int space, long block, long offsetBytes, @Nullable MemorySegment target) {
        long at = segment.descriptor(number);
        long before = descriptors.state(at);
        if (StateWord.phase(before) != StateWord.VALID
                || StateWord.has(before, UNREADABLE)
                || !descriptors.tagIs(at, space, block)) {
            return false;
        }
        long from = segment.bufferOffset(number) + offsetBytes;
        if (target == null) {
            peeked = segment.buffers.get(ValueLayout.JAVA_LONG_UNALIGNED, from);
        } else {
            MemorySegment.copy(segment.buffers, from, target, 0, target.byteSize());
        }
        // The bytes before the second look.
        VarHandle.acquireFence();
        long after = descriptors.state(at);
        if (StateWord.phase(after) != StateWord.VALID
                || StateWord.has(after, UNREADABLE)
                || StateWord.version(after) != StateWord.version(before)) {
            counters.add(PoolCounter.RETRIES, segment.counterGroup(number));
            return false;
        }
        if (StateWord.usageCount(after) < StateWord.USAGE_COUNT_MAX) {
            // Losing this race loses one use out of five.
            descriptors.compareAndSet(at, after, after + StateWord.USAGE_ONE);
        }
        return true;
    }
}
