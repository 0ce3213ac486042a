package io.numabufferpool.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Where every section of a control file lies, worked out from the partitions and the number of slots. Immutable.
 *
 * <p>Control file: header | spaces | occupancy, counter groups, partition directory | slots (grouped by NUMA node) |
 * buckets | per partition: control lines, descriptors, room for more descriptors, a second area for descriptors.
 */
public final class SegmentLayout {
    /** Pages of 4 KiB; the unit of placement where nothing larger is asked for. */
    public static final int PAGE_BYTES_DEFAULT = 4096;

    /** More files than a database has open segments of 1 GiB; the one registered longest ago makes room. */
    public static final int SPACE_COUNT_DEFAULT = 1024;

    /**
     * Keys in 2 buckets: 7 of 14 entries, a load factor of one half. One bucket of 37 is then full, so almost every
     * look-up reads one cache line, for 18 bytes of table a buffer.
     */
    public static final int KEYS_PER_TWO_BUCKETS = 7;

    private final long buffersBytes;
    private final int bufferBytes;
    private final int pageBytes;
    private final int slotCount;
    private final int spaceCount;
    private final List<PartitionShape> partitions;
    private final int[] counterGroups;
    private final int[] slotNodes;
    private final long bucketCount;
    private final long spacesOffset;
    private final long occupancyOffset;
    private final long counterGroupsOffset;
    private final long partitionDirectoryOffset;
    private final long slotsOffset;
    private final long bucketsOffset;
    private final long[] partitionOffsets;
    private final long[] spareOffsets;
    private final long controlBytes;

    private SegmentLayout(
            List<PartitionShape> partitions,
            int bufferBytes,
            long buffersBytes,
            int slotCount,
            int spaceCount,
            int pageBytes,
            List<Integer> furtherNodes) {
        this.partitions = List.copyOf(partitions);
        this.bufferBytes = bufferBytes;
        this.buffersBytes = buffersBytes;
        this.slotCount = slotCount;
        this.spaceCount = spaceCount;
        this.pageBytes = pageBytes;
        var nodes = new TreeSet<Integer>();
        partitions.forEach(partition -> nodes.add(partition.numaNode()));
        this.slotNodes = nodes.stream().mapToInt(node -> node).toArray();
        nodes.add(PartitionShape.NO_SINGLE_NODE);
        for (int i = 0; i < furtherNodes.size() && nodes.size() < SlotLayout.COUNTER_GROUPS_FREE; i++) {
            nodes.add(furtherNodes.get(i));
        }
        this.counterGroups = nodes.stream().mapToInt(node -> node).toArray();
        this.bucketCount = bucketCount(
                partitions.stream().mapToLong(PartitionShape::bufferCapacity).sum());

        spacesOffset = roundUp(ControlHeaderLayout.BYTES, pageBytes);
        occupancyOffset = spacesOffset + roundUp(spaceCount * SpaceTableLayout.BYTES, pageBytes);
        counterGroupsOffset = occupancyOffset + roundUp(occupancyBytes(slotCount), StructDeclaration.CACHE_LINE_BYTES);
        partitionDirectoryOffset = counterGroupsOffset
                + roundUp((long) counterGroups.length * Integer.BYTES, StructDeclaration.CACHE_LINE_BYTES);
        slotsOffset = roundUp(partitionDirectoryOffset + (long) partitions.size() * Long.BYTES, pageBytes);
        bucketsOffset = slotsOffset + roundUp(slotCount * slotBytes(), pageBytes);
        long offset = bucketsOffset + roundUp(bucketCount * LookupBucketLayout.BYTES, pageBytes);
        partitionOffsets = new long[partitions.size()];
        spareOffsets = new long[partitions.size()];
        for (int i = 0; i < partitionOffsets.length; i++) {
            partitionOffsets[i] = offset;
            spareOffsets[i] = offset + areaBytes(i);
            offset = spareOffsets[i] + descriptorBytes(i);
        }
        controlBytes = offset;
    }

    /**
     * Works out the sections.
     *
     * @param partitions ascending by offset, not overlapping, inside the buffers file
     * @param bufferBytes bytes of one buffer, a power of two from 512 to 2 MiB
     * @param buffersBytes length of the buffers file
     * @param slotCount sessions at once, 1..65535
     * @param spaceCount entries of the space table, {@code >= 1}
     * @param pageBytes unit of placement: a power of two, at least 4096
     * @param furtherNodes NUMA nodes that partitions may move to later: they get counters of their own, in this order, as
     *     far as that costs no memory
     * @throws IllegalArgumentException naming the argument that does not fit
     */
    public static SegmentLayout of(
            List<PartitionShape> partitions,
            int bufferBytes,
            long buffersBytes,
            int slotCount,
            int spaceCount,
            int pageBytes,
            List<Integer> furtherNodes) {
        require(
                slotCount >= 1 && slotCount <= StateWord.OWNER_MAX,
                "slots: " + slotCount + " is not in 1.." + StateWord.OWNER_MAX);
        require(spaceCount >= 1 && spaceCount <= 1 << 24, "spaces: " + spaceCount + " is not in 1..2^24");
        require(
                isPowerOfTwo(bufferBytes) && bufferBytes >= 512 && bufferBytes <= 2 << 20,
                "bufferSize: " + bufferBytes + " is not a power of two from 512 to 2 MiB");
        require(
                isPowerOfTwo(pageBytes) && pageBytes >= PAGE_BYTES_DEFAULT,
                "page size: " + pageBytes + " is not a power of two of at least " + PAGE_BYTES_DEFAULT);
        require(
                !partitions.isEmpty() && partitions.size() <= BufferNumber.PARTITION_COUNT_MAX,
                "partitions: " + partitions.size() + " is not in 1.." + BufferNumber.PARTITION_COUNT_MAX);
        long end = 0;
        for (var partition : partitions) {
            require(partition.offsetBytes() >= end, partition + " begins before the one before it ends, at " + end);
            require(
                    partition.offsetBytes() % bufferBytes == 0,
                    partition + " does not begin on a multiple of bufferSize " + bufferBytes);
            end = Math.addExact(
                    partition.offsetBytes(), Math.multiplyExact(partition.bufferCapacity(), (long) bufferBytes));
        }
        require(
                end <= buffersBytes,
                "partitions end at " + end + ", beyond the buffers file of " + buffersBytes + " bytes");
        return new SegmentLayout(partitions, bufferBytes, buffersBytes, slotCount, spaceCount, pageBytes, furtherNodes);
    }

    /** The same for partitions that stay where they are. */
    public static SegmentLayout of(
            List<PartitionShape> partitions,
            int bufferBytes,
            long buffersBytes,
            int slotCount,
            int spaceCount,
            int pageBytes) {
        return of(partitions, bufferBytes, buffersBytes, slotCount, spaceCount, pageBytes, List.of());
    }

    /** The same with the defaults for spaces and pages. */
    public static SegmentLayout of(List<PartitionShape> partitions, int bufferBytes, long buffersBytes, int slotCount) {
        return of(partitions, bufferBytes, buffersBytes, slotCount, List.of());
    }

    /** The same with the defaults for spaces and pages. */
    public static SegmentLayout of(
            List<PartitionShape> partitions,
            int bufferBytes,
            long buffersBytes,
            int slotCount,
            List<Integer> furtherNodes) {
        return of(
                partitions,
                bufferBytes,
                buffersBytes,
                slotCount,
                SPACE_COUNT_DEFAULT,
                PAGE_BYTES_DEFAULT,
                furtherNodes);
    }

    /** Buckets for that many buffers, at least one. */
    public static long bucketCount(long bufferCount) {
        return Math.max(1, Math.ceilDiv(2 * bufferCount, KEYS_PER_TWO_BUCKETS));
    }

    /** Bytes of the occupancy words for that many slots. */
    public static long occupancyBytes(int slotCount) {
        return Math.ceilDiv(slotCount, Long.SIZE) * (long) Long.BYTES;
    }

    static long roundUp(long bytes, long unit) {
        return Math.ceilDiv(bytes, unit) * unit;
    }

    private static boolean isPowerOfTwo(int value) {
        return value > 0 && Integer.bitCount(value) == 1;
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }

    /**
     * The parts of the control file and where they belong, ascending, covering it. Place and populate those that are
     * backed, before formatting; leave a hole for the others.
     */
    public List<SegmentSection> sections() {
        var sections = new ArrayList<SegmentSection>();
        sections.add(new SegmentSection("header and spaces", 0, slotsOffset, PartitionShape.NO_SINGLE_NODE, true));
        long begin = slotsOffset;
        for (int i = 0; i < slotNodes.length; i++) {
            long end = i == slotNodes.length - 1 ? bucketsOffset : pageOfFirstSlot(i + 1);
            if (end > begin) {
                sections.add(new SegmentSection("slots", begin, end - begin, slotNodes[i], true));
            }
            begin = end;
        }
        sections.add(new SegmentSection(
                "lookup table",
                bucketsOffset,
                partitionOffsets[0] - bucketsOffset,
                PartitionShape.NO_SINGLE_NODE,
                true));
        for (int i = 0; i < partitionOffsets.length; i++) {
            addPartition(sections, i);
        }
        return List.copyOf(sections);
    }

    private void addPartition(List<SegmentSection> sections, int partition) {
        var shape = partitions.get(partition);
        long end = partition + 1 < partitionOffsets.length ? partitionOffsets[partition + 1] : controlBytes;
        long usedEnd = partitionOffsets[partition]
                + roundUp(PartitionLayout.BYTES + shape.bufferCount() * BufferDescriptorLayout.BYTES, pageBytes);
        sections.add(new SegmentSection(
                "partition " + partition,
                partitionOffsets[partition],
                usedEnd - partitionOffsets[partition],
                shape.numaNode(),
                true));
        if (end > usedEnd) {
            sections.add(new SegmentSection(
                    "room of partition " + partition, usedEnd, end - usedEnd, shape.numaNode(), false));
        }
    }

    private long pageOfFirstSlot(int nodeIndex) {
        return (slotsOffset + firstSlot(nodeIndex) * slotBytes()) / pageBytes * pageBytes;
    }

    /** Slots are dealt out evenly: node i of n has those from slotCount * i / n. */
    private long firstSlot(int nodeIndex) {
        return (long) slotCount * nodeIndex / slotNodes.length;
    }

    /** The NUMA node a slot lies on, or -1. */
    public int slotNode(int slot) {
        int index = slotNodes.length - 1;
        while (firstSlot(index) > slot) {
            index--;
        }
        return slotNodes[index];
    }

    /** Which line of counters belongs to buffers of that node, or of no single node (-1). */
    public int counterGroup(int numaNode) {
        for (int i = 0; i < counterGroups.length; i++) {
            if (counterGroups[i] == numaNode) {
                return i;
            }
        }
        throw new IllegalArgumentException("NUMA node " + numaNode + " has no partition in this segment");
    }

    private long areaBytes(int partition) {
        return roundUp(
                PartitionLayout.BYTES + partitions.get(partition).bufferCapacity() * BufferDescriptorLayout.BYTES,
                pageBytes);
    }

    private long descriptorBytes(int partition) {
        return roundUp(partitions.get(partition).bufferCapacity() * BufferDescriptorLayout.BYTES, pageBytes);
    }

    public List<PartitionShape> partitions() {
        return partitions;
    }

    /** NUMA node of each counter group; the first is -1. */
    public int[] counterGroups() {
        return counterGroups.clone();
    }

    public long buffersBytes() {
        return buffersBytes;
    }

    /** Length the control file must have. */
    public long controlBytes() {
        return controlBytes;
    }

    public int bufferBytes() {
        return bufferBytes;
    }

    public int pageBytes() {
        return pageBytes;
    }

    public int slotCount() {
        return slotCount;
    }

    public int spaceCount() {
        return spaceCount;
    }

    public long slotBytes() {
        return SlotLayout.strideBytes(counterGroups.length);
    }

    public long bucketCount() {
        return bucketCount;
    }

    public long spacesOffset() {
        return spacesOffset;
    }

    public long occupancyOffset() {
        return occupancyOffset;
    }

    public long counterGroupsOffset() {
        return counterGroupsOffset;
    }

    public long partitionDirectoryOffset() {
        return partitionDirectoryOffset;
    }

    public long slotsOffset() {
        return slotsOffset;
    }

    public long bucketsOffset() {
        return bucketsOffset;
    }

    /** Where the control lines of a partition begin. */
    public long partitionOffset(int partition) {
        return partitionOffsets[partition];
    }

    /** Where the descriptors of a partition begin. */
    public long descriptorsOffset(int partition) {
        return partitionOffsets[partition] + PartitionLayout.BYTES;
    }

    /** Where the second area for the descriptors of a partition begins. */
    public long spareDescriptorsOffset(int partition) {
        return spareOffsets[partition];
    }
}
