package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.reserved;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/** The control lines of one partition, on its NUMA node, before its descriptors. Since 1.0. */
public final class PartitionLayout {
    public static final long BYTES = 256;

    public static final StructLayout LAYOUT = struct(
            "Partition",
            BYTES,
            JAVA_INT.withName("numaNode"),
            JAVA_INT.withName("counterGroup"),
            JAVA_LONG.withName("bufferCount"),
            JAVA_LONG.withName("bufferCapacity"),
            JAVA_LONG.withName("buffersOffset"),
            JAVA_LONG.withName("descriptorsOffset"),
            JAVA_LONG.withName("spareDescriptorsOffset"),
            JAVA_LONG.withName("descriptorCount"),
            reserved("reserved0", 8),
            JAVA_LONG.withName("retiredEpoch"),
            JAVA_INT.withName("descriptorArea"),
            reserved("reserved1", 52),
            JAVA_LONG.withName("hand"),
            reserved("reserved2", 56),
            JAVA_LONG.withName("evictions"),
            reserved("reserved3", 56));

    /** NUMA node + 1 of its buffers; 0: no single node. Written by the formatter, and by who moves the partition. */
    public static final VarHandle NUMA_NODE = handle(LAYOUT, "numaNode");
    /** Which line of a slot's counters its buffers are counted in. Written with the node; read acquire. */
    public static final VarHandle COUNTER_GROUP = handle(LAYOUT, "counterGroup");
    /** Buffers it has now: those that clock hands pass over. Written by the formatter, and by who resizes it (release; read acquire). */
    public static final VarHandle BUFFER_COUNT = handle(LAYOUT, "bufferCount");
    /** Buffers it has address space for. Written by the formatter. */
    public static final VarHandle BUFFER_CAPACITY = handle(LAYOUT, "bufferCapacity");
    /** Bytes from the begin of the buffers file to its first buffer. Written by the formatter. */
    public static final VarHandle BUFFERS_OFFSET = handle(LAYOUT, "buffersOffset");
    /** Bytes from the begin of the control file to its descriptors. Written by the formatter. */
    public static final VarHandle DESCRIPTORS_OFFSET = handle(LAYOUT, "descriptorsOffset");
    /** Descriptors that ever had a buffer: at least bufferCount, never less. Those beyond bufferCount are, or become, RETIRED. */
    public static final VarHandle DESCRIPTOR_COUNT = handle(LAYOUT, "descriptorCount");
    /** A second area for its descriptors, never backed by memory in 1.0. Written by the formatter. */
    public static final VarHandle SPARE_DESCRIPTORS_OFFSET = handle(LAYOUT, "spareDescriptorsOffset");
    /** For a partition that is out of service as a whole. 0 in 1.0: buffers are retired one by one. */
    public static final VarHandle RETIRED_EPOCH = handle(LAYOUT, "retiredEpoch");
    /** 0: descriptorsOffset is in force, 1: spareDescriptorsOffset. 0 in 1.0. */
    public static final VarHandle DESCRIPTOR_AREA = handle(LAYOUT, "descriptorArea");
    /** Clock hand: ticks since the format; the buffer is hand modulo bufferCount. Advanced by atomic addition of a batch. */
    public static final VarHandle HAND = handle(LAYOUT, "hand");
    /** Pages that made room for others. Atomic addition once a batch. */
    public static final VarHandle EVICTIONS = handle(LAYOUT, "evictions");

    private PartitionLayout() {}
}
