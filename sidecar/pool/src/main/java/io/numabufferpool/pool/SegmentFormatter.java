package io.numabufferpool.pool;

import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.layout.SlotLayout;
import java.lang.foreign.MemorySegment;

/**
 * Turns placed, zeroed memory into a segment: header, slots' nodes and partitions' control lines; every descriptor,
 * bucket and slot is right as zero. The magic is stored last, with release: who sees it sees the rest. For one thread.
 */
public final class SegmentFormatter {
    private SegmentFormatter() {}

    /**
     * Formats and publishes.
     *
     * @param control the whole control file, zero, placed and populated
     * @param generation a random number that names this segment, not 0
     * @param nowMillis milliseconds since 1970
     * @throws IllegalArgumentException if the length differs from the layout's
     */
    public static void format(MemorySegment control, SegmentLayout layout, long generation, long nowMillis) {
        if (control.byteSize() != layout.controlBytes()) {
            throw new IllegalArgumentException("control file has " + control.byteSize() + " bytes, its layout "
                    + layout.controlBytes() + "; make it exactly as long as the layout says");
        }
        if (generation == 0) {
            throw new IllegalArgumentException("generation of a segment must not be 0");
        }
        if ((long) ControlHeaderLayout.MAGIC.getAcquire(control, 0L) != 0) {
            throw new IllegalArgumentException("control file holds a segment already; format a new, zeroed file");
        }
        writeGroups(control, layout);
        writeSlots(control, layout);
        writePartitions(control, layout);
        writeHeader(control, layout, generation, nowMillis);
        ControlHeaderLayout.MAGIC.setRelease(control, 0L, LayoutVersion.MAGIC);
    }

    private static void writeGroups(MemorySegment control, SegmentLayout layout) {
        int[] groups = layout.counterGroups();
        for (int i = 0; i < groups.length; i++) {
            ControlHeaderLayout.INT_AT.set(
                    control, layout.counterGroupsOffset() + (long) i * Integer.BYTES, groups[i] + 1);
        }
    }

    private static void writeSlots(MemorySegment control, SegmentLayout layout) {
        for (int slot = 0; slot < layout.slotCount(); slot++) {
            SlotLayout.NUMA_NODE.set(
                    control, layout.slotsOffset() + slot * layout.slotBytes(), layout.slotNode(slot) + 1);
        }
    }

    private static void writePartitions(MemorySegment control, SegmentLayout layout) {
        var partitions = layout.partitions();
        for (int i = 0; i < partitions.size(); i++) {
            var shape = partitions.get(i);
            long at = layout.partitionOffset(i);
            ControlHeaderLayout.LONG_AT.set(control, layout.partitionDirectoryOffset() + (long) i * Long.BYTES, at);
            PartitionLayout.NUMA_NODE.set(control, at, shape.numaNode() + 1);
            PartitionLayout.COUNTER_GROUP.set(control, at, layout.counterGroup(shape.numaNode()));
            PartitionLayout.BUFFER_COUNT.set(control, at, shape.bufferCount());
            PartitionLayout.DESCRIPTOR_COUNT.set(control, at, shape.bufferCount());
            PartitionLayout.BUFFER_CAPACITY.set(control, at, shape.bufferCapacity());
            PartitionLayout.BUFFERS_OFFSET.set(control, at, shape.offsetBytes());
            PartitionLayout.DESCRIPTORS_OFFSET.set(control, at, layout.descriptorsOffset(i));
            PartitionLayout.SPARE_DESCRIPTORS_OFFSET.set(control, at, layout.spareDescriptorsOffset(i));
        }
    }

    private static void writeHeader(MemorySegment control, SegmentLayout layout, long generation, long nowMillis) {
        ControlHeaderLayout.VERSION_MAJOR.set(control, 0L, LayoutVersion.MAJOR);
        ControlHeaderLayout.VERSION_MINOR.set(control, 0L, LayoutVersion.MINOR);
        ControlHeaderLayout.BYTE_ORDER_MARK.set(control, 0L, LayoutVersion.BYTE_ORDER_MARK);
        ControlHeaderLayout.HEADER_BYTES.set(control, 0L, (int) ControlHeaderLayout.BYTES);
        ControlHeaderLayout.SEGMENT_GENERATION.set(control, 0L, generation);
        ControlHeaderLayout.CREATED_MILLIS.set(control, 0L, nowMillis);
        ControlHeaderLayout.CONTROL_BYTES.set(control, 0L, layout.controlBytes());
        ControlHeaderLayout.BUFFERS_BYTES.set(control, 0L, layout.buffersBytes());
        ControlHeaderLayout.BUFFER_BYTES.set(control, 0L, layout.bufferBytes());
        ControlHeaderLayout.PAGE_BYTES.set(control, 0L, layout.pageBytes());
        ControlHeaderLayout.PARTITION_COUNT.set(control, 0L, layout.partitions().size());
        ControlHeaderLayout.COUNTER_GROUP_COUNT.set(control, 0L, layout.counterGroups().length);
        ControlHeaderLayout.SLOT_COUNT.set(control, 0L, layout.slotCount());
        ControlHeaderLayout.SLOT_BYTES.set(control, 0L, Math.toIntExact(layout.slotBytes()));
        ControlHeaderLayout.LEDGER_ENTRY_COUNT.set(control, 0L, SlotLayout.LEDGER_ENTRY_COUNT);
        ControlHeaderLayout.SPACE_COUNT.set(control, 0L, layout.spaceCount());
        ControlHeaderLayout.BUCKET_COUNT.set(control, 0L, layout.bucketCount());
        ControlHeaderLayout.SPACES_OFFSET.set(control, 0L, layout.spacesOffset());
        ControlHeaderLayout.OCCUPANCY_OFFSET.set(control, 0L, layout.occupancyOffset());
        ControlHeaderLayout.COUNTER_GROUPS_OFFSET.set(control, 0L, layout.counterGroupsOffset());
        ControlHeaderLayout.PARTITION_DIRECTORY_OFFSET.set(control, 0L, layout.partitionDirectoryOffset());
        ControlHeaderLayout.SLOTS_OFFSET.set(control, 0L, layout.slotsOffset());
        ControlHeaderLayout.BUCKETS_OFFSET.set(control, 0L, layout.bucketsOffset());
    }
}
