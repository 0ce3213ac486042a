package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.reserved;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * The first bytes of the control file. Everything up to nextSpace is written by the formatter before the magic and
 * never again; every process checks and copies it at attach and uses its copy. Since 1.0.
 */
public final class ControlHeaderLayout {
    public static final long BYTES = 512;

    public static final StructLayout LAYOUT = struct(
            "ControlHeader",
            BYTES,
            JAVA_LONG.withName("magic"),
            JAVA_INT.withName("versionMajor"),
            JAVA_INT.withName("versionMinor"),
            JAVA_INT.withName("byteOrderMark"),
            JAVA_INT.withName("headerBytes"),
            JAVA_LONG.withName("segmentGeneration"),
            JAVA_LONG.withName("createdMillis"),
            JAVA_LONG.withName("controlBytes"),
            JAVA_LONG.withName("buffersBytes"),
            reserved("reserved0", 8),
            JAVA_INT.withName("bufferBytes"),
            JAVA_INT.withName("pageBytes"),
            JAVA_INT.withName("partitionCount"),
            JAVA_INT.withName("counterGroupCount"),
            JAVA_INT.withName("slotCount"),
            JAVA_INT.withName("slotBytes"),
            JAVA_INT.withName("ledgerEntryCount"),
            JAVA_INT.withName("spaceCount"),
            JAVA_LONG.withName("bucketCount"),
            reserved("reserved1", 24),
            JAVA_LONG.withName("spacesOffset"),
            JAVA_LONG.withName("occupancyOffset"),
            JAVA_LONG.withName("counterGroupsOffset"),
            JAVA_LONG.withName("partitionDirectoryOffset"),
            JAVA_LONG.withName("slotsOffset"),
            JAVA_LONG.withName("bucketsOffset"),
            reserved("reserved2", 16),
            JAVA_INT.withName("spaceLock"),
            JAVA_INT.withName("nextSpace"),
            JAVA_LONG.withName("registrations"),
            reserved("reserved3", 48),
            JAVA_LONG.withName("placementEpoch"),
            reserved("reserved4", 56),
            reserved("reserved5", 192));

    /** {@link LayoutVersion#MAGIC}. Stored last, with release; read acquire, first. 0: not published. */
    public static final VarHandle MAGIC = handle(LAYOUT, "magic");
    /** {@link LayoutVersion#MAJOR}. */
    public static final VarHandle VERSION_MAJOR = handle(LAYOUT, "versionMajor");
    /** {@link LayoutVersion#MINOR}. */
    public static final VarHandle VERSION_MINOR = handle(LAYOUT, "versionMinor");
    /** {@link LayoutVersion#BYTE_ORDER_MARK}. */
    public static final VarHandle BYTE_ORDER_MARK = handle(LAYOUT, "byteOrderMark");
    /** {@link #BYTES}. */
    public static final VarHandle HEADER_BYTES = handle(LAYOUT, "headerBytes");
    /** A random number that differs for every segment made. */
    public static final VarHandle SEGMENT_GENERATION = handle(LAYOUT, "segmentGeneration");
    /** Milliseconds since 1970 when it was formatted. */
    public static final VarHandle CREATED_MILLIS = handle(LAYOUT, "createdMillis");
    /** Length of the control file. */
    public static final VarHandle CONTROL_BYTES = handle(LAYOUT, "controlBytes");
    /** Length of the buffers file. */
    public static final VarHandle BUFFERS_BYTES = handle(LAYOUT, "buffersBytes");
    /** Bytes of one buffer. */
    public static final VarHandle BUFFER_BYTES = handle(LAYOUT, "bufferBytes");
    /** Unit in which sections were placed: the page size. */
    public static final VarHandle PAGE_BYTES = handle(LAYOUT, "pageBytes");

    public static final VarHandle PARTITION_COUNT = handle(LAYOUT, "partitionCount");
    /** Lines of counters in a slot: one for buffers of no single NUMA node, then one a NUMA node. */
    public static final VarHandle COUNTER_GROUP_COUNT = handle(LAYOUT, "counterGroupCount");

    public static final VarHandle SLOT_COUNT = handle(LAYOUT, "slotCount");
    /** Distance of two slots. */
    public static final VarHandle SLOT_BYTES = handle(LAYOUT, "slotBytes");
    /** {@link SlotLayout#LEDGER_ENTRY_COUNT}. */
    public static final VarHandle LEDGER_ENTRY_COUNT = handle(LAYOUT, "ledgerEntryCount");
    /** Entries of the space table. */
    public static final VarHandle SPACE_COUNT = handle(LAYOUT, "spaceCount");
    /** Buckets of the lookup table. */
    public static final VarHandle BUCKET_COUNT = handle(LAYOUT, "bucketCount");
    /** Where the space table begins, in bytes of the control file, as the offsets below. */
    public static final VarHandle SPACES_OFFSET = handle(LAYOUT, "spacesOffset");
    /** One bit a slot, in longs: set by who leased it, before its first pin. */
    public static final VarHandle OCCUPANCY_OFFSET = handle(LAYOUT, "occupancyOffset");
    /** One int a counter group: its NUMA node + 1. */
    public static final VarHandle COUNTER_GROUPS_OFFSET = handle(LAYOUT, "counterGroupsOffset");
    /** One long a partition: where its control lines begin. */
    public static final VarHandle PARTITION_DIRECTORY_OFFSET = handle(LAYOUT, "partitionDirectoryOffset");

    public static final VarHandle SLOTS_OFFSET = handle(LAYOUT, "slotsOffset");
    public static final VarHandle BUCKETS_OFFSET = handle(LAYOUT, "bucketsOffset");
    /** Client number of who changes the space table. 0: nobody. Compare-and-set to take, release to free. */
    public static final VarHandle SPACE_LOCK = handle(LAYOUT, "spaceLock");
    /** The last space number given out. Written under spaceLock. 0: none yet. */
    public static final VarHandle NEXT_SPACE = handle(LAYOUT, "nextSpace");
    /** Registrations so far, the clock of the space table. Written under spaceLock. */
    public static final VarHandle REGISTRATIONS = handle(LAYOUT, "registrations");
    /** Counts changes of partitions: who knows another number reads their counts and nodes again. Atomic addition; read acquire. */
    public static final VarHandle PLACEMENT_EPOCH = handle(LAYOUT, "placementEpoch");

    /** Arrays outside of structs: the occupancy words and the partition directory. */
    public static final VarHandle LONG_AT = StructDeclaration.LONG_AT;

    /** The counter groups. */
    public static final VarHandle INT_AT = StructDeclaration.INT_AT;

    private ControlHeaderLayout() {}
}
