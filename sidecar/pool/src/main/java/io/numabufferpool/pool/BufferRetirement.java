package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Takes buffers out of service while clients go on, so that their memory can be replaced, and puts them back. For the sidecar:
 * one at a time in a segment, for one thread. It leases a slot for as long as it is open.
 *
 * <p>The order that keeps every reader right: {@link #retire} until nothing is left (no pin, no load and no look-up reaches
 * the buffers then); {@link #advanceEpoch}; {@link #findReaderBefore} until nobody is left (readers that copy without a pin
 * may still be in the middle); now the memory is nobody's; at last {@link #restore}. A process that dies anywhere in it leaves
 * buffers that are in service or RETIRED; the next one begins again.
 */
public final class BufferRetirement implements AutoCloseable {
    /** No session stands in the way. */
    public static final int NOBODY = -1;

    /**
     * What one pass left in service.
     *
     * @param buffers how many buffers
     * @param clientNumber whose session pins one of them; {@link #NOBODY} if they are only being loaded or written
     * @param slot of that session, or {@link #NOBODY}
     */
    public record Remaining(long buffers, int clientNumber, int slot) {
        /** Whether everything is out of service. */
        public boolean none() {
            return buffers == 0;
        }
    }

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final SlotTable slots;
    private final EvictionBatch evictions;
    private final int slot;
    private final int owner;
    private long remaining;
    private int holder;

    /** Leases a slot of this pool's client number. @throws PoolException.NoFreeSlot after a bounded wait */
    BufferRetirement(BufferPool pool) {
        this.segment = pool.segment();
        this.control = segment.control;
        this.descriptors = pool.descriptors();
        this.slots = pool.slots();
        this.slot = pool.leaseSlot();
        this.owner = slot + 1;
        this.evictions = new EvictionBatch(
                segment,
                descriptors,
                pool.table(),
                slots,
                new SlotCounters(segment, slot),
                pool.options().lockWaitNanos(),
                owner);
    }

    /**
     * One pass over the buffers from {@code fromIndex} to before {@code toIndex} of a partition: pages that nobody has pinned
     * leave them, and they are RETIRED. Repeat while something remains; what is retired stays so.
     */
    public Remaining retire(int partition, long fromIndex, long toIndex) {
        check(partition, fromIndex, toIndex);
        remaining = 0;
        holder = EvictionBatch.NO_SLOT;
        for (long index = fromIndex; index < toIndex; index++) {
            examine(BufferNumber.of(partition, index));
            if (evictions.full()) {
                settle();
            }
        }
        settle();
        return new Remaining(remaining, holder < 0 ? NOBODY : slots.clientNumber(holder), holder);
    }

    private void check(int partition, long fromIndex, long toIndex) {
        boolean inside = partition >= 0
                && partition < segment.partitionCount
                && fromIndex >= 0
                && fromIndex <= toIndex
                && toIndex <= segment.bufferCapacity(partition);
        if (!inside) {
            throw new IllegalArgumentException(
                    "buffers " + fromIndex + ".." + toIndex + " of partition " + partition + ": the segment has "
                            + segment.partitionCount + " partitions, and indexes go up to their capacity");
        }
    }

    private void examine(long number) {
        long at = segment.descriptor(number);
        long word = descriptors.stateAcquire(at);
        switch (StateWord.phase(word)) {
            case StateWord.RETIRED -> {
                // By an earlier pass.
            }
            case StateWord.FREE, StateWord.CLAIMED -> {
                if (!descriptors.compareAndSet(at, word, retired(word))) {
                    remaining++;
                }
            }
            case StateWord.VALID -> {
                if (!EvictionBatch.mayGo(word) || !evictions.add(number, at, word)) {
                    remaining++;
                }
            }
            default -> remaining++;
        }
    }

    private static long retired(long word) {
        return StateWord.of(StateWord.RETIRED, 0, StateWord.version(word));
    }

    private void settle() {
        evictions.settle(this::retireTaken);
        if (evictions.lastHolder() != EvictionBatch.NO_SLOT) {
            holder = evictions.lastHolder();
        }
        remaining += evictions.notTaken();
    }

    /** Somebody who found no other victim may steal it in between: then it is in service still. */
    private void retireTaken(long number, long hash) {
        if (!descriptors.moveOn(
                segment.descriptor(number), StateWord.CLAIMED, owner, StateWord.of(StateWord.RETIRED, 0, 0))) {
            remaining++;
        }
    }

    /** Begins a new epoch and returns it: who copies without a pin and began before has an older one in his slot. */
    public long advanceEpoch() {
        long before = (long) ControlHeaderLayout.PLACEMENT_EPOCH.getAndAdd(control, 0L, 1L);
        VarHandle.fullFence();
        return before + 1;
    }

    /** The client number of a session that is still in the middle of a copy it began before that epoch, or {@link #NOBODY}. */
    public int findReaderBefore(long epoch) {
        for (int other = 0; other < segment.slotCount; other++) {
            // A reader publishes the epoch he saw, plus one.
            long seen = (long) SlotLayout.EPOCH.getAcquire(control, segment.slotOffset(other));
            if (seen != 0 && seen <= epoch) {
                return slots.clientNumber(other);
            }
        }
        return NOBODY;
    }

    /** Puts buffers back into service that are RETIRED: FREE, in memory that is there. */
    public void restore(int partition, long fromIndex, long toIndex) {
        check(partition, fromIndex, toIndex);
        for (long index = fromIndex; index < toIndex; index++) {
            long at = segment.descriptor(BufferNumber.of(partition, index));
            long word = descriptors.stateAcquire(at);
            if (StateWord.phase(word) == StateWord.RETIRED) {
                descriptors.compareAndSet(at, word, StateWord.of(StateWord.FREE, 0, StateWord.version(word)));
            }
        }
    }

    /** How many of these buffers are RETIRED now: an earlier process may have left some. */
    public long countRetired(int partition, long fromIndex, long toIndex) {
        check(partition, fromIndex, toIndex);
        long retired = 0;
        for (long index = fromIndex; index < toIndex; index++) {
            long at = segment.descriptor(BufferNumber.of(partition, index));
            retired += StateWord.phase(descriptors.stateAcquire(at)) == StateWord.RETIRED ? 1 : 0;
        }
        return retired;
    }

    /** Says that a partition's buffers lie on that NUMA node (-1: no single one) from now on: sessions sweep it as theirs. */
    public void moveTo(int partition, int numaNode) {
        long at = segment.partitionOffset(partition);
        PartitionLayout.NUMA_NODE.setOpaque(control, at, numaNode + 1);
        PartitionLayout.COUNTER_GROUP.setRelease(control, at, segment.groupOf(numaNode));
        advanceEpoch();
        segment.refresh();
    }

    /**
     * Changes how many buffers of a partition clock hands pass over. Before shrinking nothing needs to be retired, after it
     * everything beyond; before growing, the new buffers and their descriptors need memory.
     */
    public void resize(int partition, long bufferCount) {
        check(partition, bufferCount, bufferCount);
        long at = segment.partitionOffset(partition);
        long before = (long) PartitionLayout.BUFFER_COUNT.getAcquire(control, at);
        if (before > 0 && bufferCount > 0) {
            // Turns stay comparable with the other partitions'. Ticks that are lost meanwhile cost a few buffers a
            // turn.
            long hand = (long) PartitionLayout.HAND.getOpaque(control, at);
            PartitionLayout.HAND.setOpaque(control, at, hand / before * bufferCount);
        }
        if (segment.descriptorCount(partition) < bufferCount) {
            PartitionLayout.DESCRIPTOR_COUNT.setRelease(control, at, bufferCount);
        }
        PartitionLayout.BUFFER_COUNT.setRelease(control, at, bufferCount);
        advanceEpoch();
        segment.refresh();
    }

    /** Buffers of a partition in service. */
    public long bufferCount(int partition) {
        segment.refresh();
        return segment.bufferCount(partition);
    }

    /** Descriptors of a partition that ever had a buffer. */
    public long descriptorCount(int partition) {
        return segment.descriptorCount(partition);
    }

    @Override
    public void close() {
        slots.release(slot);
    }
}
