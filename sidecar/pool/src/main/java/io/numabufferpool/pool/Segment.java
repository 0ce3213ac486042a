package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.PartitionLayout;
import java.lang.foreign.MemorySegment;

/**
 * The header's copy that a process takes at attach, and the two mappings. Thread-safe. A number read from shared memory
 * later is an index only after it was checked here, so a corrupted segment gives an exception, not a stray access.
 *
 * <p>How many buffers a partition has and which NUMA node they lie on can change: {@link #refresh} takes it over. Until then
 * this process works with the old numbers, which is right as well: what is out of service says so in its state word.
 */
final class Segment {
    final MemorySegment control;
    final MemorySegment buffers;
    final long generation;
    final int bufferBytes;
    final int partitionCount;
    final int counterGroupCount;
    final int slotCount;
    final long slotBytes;
    final int spaceCount;
    final long bucketCount;
    final long spacesOffset;
    final long occupancyOffset;
    final long slotsOffset;
    final long bucketsOffset;

    private final int[] groupNodes;
    private final long[] partitionOffsets;
    private final long[] descriptorOffsets;
    private final long[] bufferOffsets;
    private final long[] bufferCapacities;
    /** Elements are replaced by refresh; a reader sees the old or the new number. */
    private final long[] bufferCounts;

    private final int[] partitionGroups;
    private volatile long bufferCount;
    private volatile long knownEpoch;

    /** Copies a header that {@link SegmentCheck} found good. */
    Segment(MemorySegment control, MemorySegment buffers) {
        this.control = control;
        this.buffers = buffers;
        generation = (long) ControlHeaderLayout.SEGMENT_GENERATION.get(control, 0L);
        bufferBytes = (int) ControlHeaderLayout.BUFFER_BYTES.get(control, 0L);
        partitionCount = (int) ControlHeaderLayout.PARTITION_COUNT.get(control, 0L);
        counterGroupCount = (int) ControlHeaderLayout.COUNTER_GROUP_COUNT.get(control, 0L);
        slotCount = (int) ControlHeaderLayout.SLOT_COUNT.get(control, 0L);
        slotBytes = (int) ControlHeaderLayout.SLOT_BYTES.get(control, 0L);
        spaceCount = (int) ControlHeaderLayout.SPACE_COUNT.get(control, 0L);
        bucketCount = (long) ControlHeaderLayout.BUCKET_COUNT.get(control, 0L);
        spacesOffset = (long) ControlHeaderLayout.SPACES_OFFSET.get(control, 0L);
        occupancyOffset = (long) ControlHeaderLayout.OCCUPANCY_OFFSET.get(control, 0L);
        slotsOffset = (long) ControlHeaderLayout.SLOTS_OFFSET.get(control, 0L);
        bucketsOffset = (long) ControlHeaderLayout.BUCKETS_OFFSET.get(control, 0L);

        groupNodes = new int[counterGroupCount];
        long groupsOffset = (long) ControlHeaderLayout.COUNTER_GROUPS_OFFSET.get(control, 0L);
        for (int i = 0; i < counterGroupCount; i++) {
            groupNodes[i] = (int) ControlHeaderLayout.INT_AT.get(control, groupsOffset + (long) i * Integer.BYTES) - 1;
        }
        partitionOffsets = new long[partitionCount];
        descriptorOffsets = new long[partitionCount];
        bufferOffsets = new long[partitionCount];
        bufferCapacities = new long[partitionCount];
        bufferCounts = new long[partitionCount];
        partitionGroups = new int[partitionCount];
        long directory = (long) ControlHeaderLayout.PARTITION_DIRECTORY_OFFSET.get(control, 0L);
        for (int i = 0; i < partitionCount; i++) {
            long at = (long) ControlHeaderLayout.LONG_AT.get(control, directory + (long) i * Long.BYTES);
            partitionOffsets[i] = at;
            descriptorOffsets[i] = (long) PartitionLayout.DESCRIPTORS_OFFSET.get(control, at);
            bufferOffsets[i] = (long) PartitionLayout.BUFFERS_OFFSET.get(control, at);
            bufferCapacities[i] = (long) PartitionLayout.BUFFER_CAPACITY.get(control, at);
        }
        knownEpoch = (long) ControlHeaderLayout.PLACEMENT_EPOCH.getAcquire(control, 0L);
        readPartitions();
    }

    /** Takes over what became of the partitions since the last look, if anything did: one read of a line that seldom changes. */
    void refresh() {
        long epoch = (long) ControlHeaderLayout.PLACEMENT_EPOCH.getAcquire(control, 0L);
        if (epoch != knownEpoch) {
            readPartitions();
            // After the numbers: another thread may read them twice, never miss a change.
            knownEpoch = epoch;
        }
    }

    private void readPartitions() {
        long total = 0;
        for (int i = 0; i < partitionCount; i++) {
            long count = (long) PartitionLayout.BUFFER_COUNT.getAcquire(control, partitionOffsets[i]);
            int group = (int) PartitionLayout.COUNTER_GROUP.getAcquire(control, partitionOffsets[i]);
            boolean possible = count >= 0 && count <= bufferCapacities[i] && group >= 0 && group < counterGroupCount;
            if (!possible) {
                throw new PoolException.CorruptSegment(
                        "partition " + i + " has " + count + " buffers and counter group "
                                + group + "; it has room for " + bufferCapacities[i] + " and the segment has "
                                + counterGroupCount + " groups: the control file was overwritten; restart the pod");
            }
            bufferCounts[i] = count;
            partitionGroups[i] = group;
            total += count;
        }
        bufferCount = total;
    }

    /** Buffers in service, as far as this process knows. */
    long bufferCount() {
        return bufferCount;
    }

    /** Descriptors of a partition that ever had a buffer, in service or not: what a reaper looks at. */
    long descriptorCount(int partition) {
        long count = (long) PartitionLayout.DESCRIPTOR_COUNT.getAcquire(control, partitionOffsets[partition]);
        return Math.clamp(count, 0, bufferCapacities[partition]);
    }

    /** Buffers a partition has address space for. */
    long bufferCapacity(int partition) {
        return bufferCapacities[partition];
    }

    /** The counter group of a NUMA node; that of no single node where it has none. */
    int groupOf(int numaNode) {
        int found = 0;
        for (int group = 0; group < counterGroupCount; group++) {
            if (groupNodes[group] == numaNode) {
                return group;
            }
            if (groupNodes[group] < 0) {
                found = group;
            }
        }
        return found;
    }

    /** Where the descriptor of a buffer lies, in service or not. @throws PoolException.CorruptSegment if there is no such buffer */
    long descriptor(long number) {
        if (!hasBuffer(number)) {
            throw corrupt(number);
        }
        return descriptorOffsets[BufferNumber.partition(number)]
                + BufferNumber.index(number) * BufferDescriptorLayout.BYTES;
    }

    boolean hasBuffer(long number) {
        int partition = BufferNumber.partition(number);
        long index = BufferNumber.index(number);
        return partition < partitionCount && index >= 0 && index < bufferCapacities[partition];
    }

    private PoolException.CorruptSegment corrupt(long number) {
        return new PoolException.CorruptSegment("buffer number " + Long.toHexString(number) + " names no buffer of this"
                + " segment (" + partitionCount + " partitions, " + bufferCount + " buffers): the control file was"
                + " overwritten; restart the pod");
    }

    /** Where the bytes of a buffer begin; for a number that {@link #descriptor} accepted. */
    long bufferOffset(long number) {
        return bufferOffsets[BufferNumber.partition(number)] + BufferNumber.index(number) * bufferBytes;
    }

    long slotOffset(int slot) {
        return slotsOffset + slot * slotBytes;
    }

    /** The line of a slot's counters that a buffer is counted in. */
    int counterGroup(long number) {
        return partitionGroups[BufferNumber.partition(number)];
    }

    int groupNode(int counterGroup) {
        return groupNodes[counterGroup];
    }

    long partitionOffset(int partition) {
        return partitionOffsets[partition];
    }

    long descriptorsOffset(int partition) {
        return descriptorOffsets[partition];
    }

    long bufferCount(int partition) {
        return bufferCounts[partition];
    }

    int partitionGroup(int partition) {
        return partitionGroups[partition];
    }

    /** The NUMA node of a partition, -1: no single one. */
    int partitionNode(int partition) {
        return groupNodes[partitionGroups[partition]];
    }
}
