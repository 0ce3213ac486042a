package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.SpaceTableLayout;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** Decides whether two files are a segment that this version can use. Reads only; sums cannot overflow into a pass. */
final class SegmentCheck {
    private final MemorySegment control;
    private final long buffersBytes;

    private SegmentCheck(MemorySegment control, long buffersBytes) {
        this.control = control;
        this.buffersBytes = buffersBytes;
    }

    /** Returns the copy of the header that the process will use. @throws PoolException.SegmentMismatch with what differs */
    static Segment attach(MemorySegment control, MemorySegment buffers) {
        var check = new SegmentCheck(control, buffers.byteSize());
        check.version();
        check.lengths();
        check.sections();
        check.partitions();
        return new Segment(control, buffers);
    }

    private void version() {
        require(
                control.byteSize() >= ControlHeaderLayout.BYTES,
                "control file has " + control.byteSize() + " bytes, less than a header of " + ControlHeaderLayout.BYTES
                        + ": it is truncated or not a segment; let the sidecar make it");
        long magic = (long) ControlHeaderLayout.MAGIC.getAcquire(control, 0L);
        require(
                magic != 0,
                "control file is not published: the sidecar is still formatting it or died meanwhile; try again later");
        require(
                magic != Long.reverseBytes(LayoutVersion.MAGIC),
                "segment was made on a machine of the other byte order; attach on the machine that made it");
        require(
                magic == LayoutVersion.MAGIC,
                "control file does not begin with the mark of a NumaBufferPool segment (found "
                        + Long.toHexString(magic) + "): it is a foreign file; remove it and restart the sidecar");
        int major = (int) ControlHeaderLayout.VERSION_MAJOR.get(control, 0L);
        int minor = (int) ControlHeaderLayout.VERSION_MINOR.get(control, 0L);
        require(
                major == LayoutVersion.MAJOR,
                "segment has layout " + major + "." + minor + "; this program reads " + LayoutVersion.MAJOR
                        + ".x. Use a client of the sidecar's version, or restart the pod with a sidecar of this one's");
        int mark = (int) ControlHeaderLayout.BYTE_ORDER_MARK.get(control, 0L);
        require(
                mark == LayoutVersion.BYTE_ORDER_MARK,
                "byte order mark of the segment is " + Integer.toHexString(mark) + ", not "
                        + Integer.toHexString(LayoutVersion.BYTE_ORDER_MARK));
        int header = intOf("headerBytes", (int) ControlHeaderLayout.HEADER_BYTES.get(control, 0L), 1, 1 << 20);
        require(
                header == ControlHeaderLayout.BYTES,
                "header has " + header + " bytes, layout 1.x has " + ControlHeaderLayout.BYTES);
        if (minor <= LayoutVersion.MINOR) {
            reservedIsZero(ControlHeaderLayout.LAYOUT, 0, "header");
        }
    }

    private void lengths() {
        long controlWanted = (long) ControlHeaderLayout.CONTROL_BYTES.get(control, 0L);
        require(
                controlWanted == control.byteSize(),
                "control file has " + control.byteSize() + " bytes, its header says " + controlWanted
                        + ": it was truncated or replaced; restart the pod");
        long buffersWanted = (long) ControlHeaderLayout.BUFFERS_BYTES.get(control, 0L);
        require(
                buffersWanted == buffersBytes,
                "buffers file has " + buffersBytes + " bytes, the control file's header says " + buffersWanted
                        + ": the two files do not belong together, or one was truncated; restart the pod");
        int bufferBytes = intOf("bufferBytes", (int) ControlHeaderLayout.BUFFER_BYTES.get(control, 0L), 512, 2 << 20);
        require(Integer.bitCount(bufferBytes) == 1, "bufferBytes " + bufferBytes + " is not a power of two");
        require(
                (int) ControlHeaderLayout.LEDGER_ENTRY_COUNT.get(control, 0L) == SlotLayout.LEDGER_ENTRY_COUNT,
                "ledgers of the segment do not have " + SlotLayout.LEDGER_ENTRY_COUNT + " entries");
    }

    private void sections() {
        int slots = intOf("slotCount", (int) ControlHeaderLayout.SLOT_COUNT.get(control, 0L), 1, StateWord.OWNER_MAX);
        int spaces = intOf("spaceCount", (int) ControlHeaderLayout.SPACE_COUNT.get(control, 0L), 1, 1 << 24);
        int groups =
                intOf("counterGroupCount", (int) ControlHeaderLayout.COUNTER_GROUP_COUNT.get(control, 0L), 1, 1 << 16);
        int partitions = intOf(
                "partitionCount",
                (int) ControlHeaderLayout.PARTITION_COUNT.get(control, 0L),
                1,
                BufferNumber.PARTITION_COUNT_MAX);
        long buckets = (long) ControlHeaderLayout.BUCKET_COUNT.get(control, 0L);
        int slotBytes = (int) ControlHeaderLayout.SLOT_BYTES.get(control, 0L);
        require(
                slotBytes == SlotLayout.strideBytes(groups),
                "slotBytes " + slotBytes + " does not hold " + groups + " lines of counters");
        inside("spaces", (long) ControlHeaderLayout.SPACES_OFFSET.get(control, 0L), spaces, SpaceTableLayout.BYTES);
        inside(
                "occupancy",
                (long) ControlHeaderLayout.OCCUPANCY_OFFSET.get(control, 0L),
                SegmentLayout.occupancyBytes(slots),
                1);
        inside(
                "counterGroups",
                (long) ControlHeaderLayout.COUNTER_GROUPS_OFFSET.get(control, 0L),
                groups,
                Integer.BYTES);
        inside(
                "partitionDirectory",
                (long) ControlHeaderLayout.PARTITION_DIRECTORY_OFFSET.get(control, 0L),
                partitions,
                Long.BYTES);
        inside("slots", (long) ControlHeaderLayout.SLOTS_OFFSET.get(control, 0L), slots, slotBytes);
        inside(
                "buckets",
                (long) ControlHeaderLayout.BUCKETS_OFFSET.get(control, 0L),
                buckets,
                LookupBucketLayout.BYTES);
    }

    private void partitions() {
        int partitions = (int) ControlHeaderLayout.PARTITION_COUNT.get(control, 0L);
        int groups = (int) ControlHeaderLayout.COUNTER_GROUP_COUNT.get(control, 0L);
        int bufferBytes = (int) ControlHeaderLayout.BUFFER_BYTES.get(control, 0L);
        long directory = (long) ControlHeaderLayout.PARTITION_DIRECTORY_OFFSET.get(control, 0L);
        for (int i = 0; i < partitions; i++) {
            var name = "partition " + i;
            long at = (long) ControlHeaderLayout.LONG_AT.get(control, directory + (long) i * Long.BYTES);
            inside(name, at, 1, PartitionLayout.BYTES);
            long count = (long) PartitionLayout.BUFFER_COUNT.get(control, at);
            long capacity = (long) PartitionLayout.BUFFER_CAPACITY.get(control, at);
            require(
                    capacity >= 1 && capacity <= BufferNumber.BUFFERS_PER_PARTITION_MAX,
                    name + " has room for " + capacity + " buffers; must be 1.."
                            + BufferNumber.BUFFERS_PER_PARTITION_MAX);
            require(
                    count >= 0 && count <= capacity,
                    name + " has " + count + " buffers; must be in 0.." + capacity + ", what it has room for");
            long descriptors = (long) PartitionLayout.DESCRIPTOR_COUNT.get(control, at);
            require(
                    descriptors >= 0 && descriptors <= capacity,
                    name + " has " + descriptors + " descriptors; must be in 0.." + capacity
                            + ", what it has room for");
            inside(
                    name + " descriptors",
                    (long) PartitionLayout.DESCRIPTORS_OFFSET.get(control, at),
                    capacity,
                    BufferDescriptorLayout.BYTES);
            long first = (long) PartitionLayout.BUFFERS_OFFSET.get(control, at);
            require(
                    fits(first, capacity, bufferBytes, buffersBytes),
                    name + " buffers (" + capacity + " from offset " + first + ") are not inside the buffers file of "
                            + buffersBytes + " bytes");
            intOf(name + " counterGroup", (int) PartitionLayout.COUNTER_GROUP.get(control, at), 0, groups - 1);
            if ((int) ControlHeaderLayout.VERSION_MINOR.get(control, 0L) <= LayoutVersion.MINOR) {
                reservedIsZero(PartitionLayout.LAYOUT, at, name);
            }
        }
    }

    private void reservedIsZero(StructLayout struct, long at, String name) {
        for (var member : struct.memberLayouts()) {
            var field = member.name().orElseThrow();
            if (field.startsWith("reserved")) {
                long offset = at + struct.byteOffset(PathElement.groupElement(field));
                long zeros = 0;
                while (zeros < member.byteSize()
                        && control.get(java.lang.foreign.ValueLayout.JAVA_BYTE, offset + zeros) == 0) {
                    zeros++;
                }
                require(
                        zeros == member.byteSize(),
                        name + " has a byte that is not zero in " + field + ": the control file was overwritten, or its"
                                + " version is wrong; restart the pod");
            }
        }
    }

    private int intOf(String name, int value, int min, int max) {
        require(
                value >= min && value <= max,
                name + " of the segment is " + value + ", must be in " + min + ".." + max);
        return value;
    }

    private void inside(String name, long offset, long count, long elementBytes) {
        require(
                count >= 1 && offset % Long.BYTES == 0 && fits(offset, count, elementBytes, control.byteSize()),
                name + " (" + count + " x " + elementBytes + " bytes from offset " + offset
                        + ") is not inside the control file of " + control.byteSize() + " bytes");
    }

    private static boolean fits(long offset, long count, long elementBytes, long limit) {
        return offset >= 0 && offset <= limit && count <= (limit - offset) / elementBytes;
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new PoolException.SegmentMismatch(sentence);
        }
    }
}
