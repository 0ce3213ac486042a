package io.numabufferpool.pool;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A formatted segment in native memory of this JVM; every {@link #attach} is one client of it. */
final class TestSegment implements AutoCloseable {
    static final int BUFFER_BYTES = 512;
    static final long GENERATION = 0x5EED;
    static final Linux LINUX = new JnaLinux();
    static final int SIDECAR = 1000;

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final SegmentLayout layout;
    final MemorySegment control;
    final MemorySegment buffers;
    private int nextClient = 1;

    private TestSegment(SegmentLayout layout) {
        this.layout = layout;
        control = arena.allocate(layout.controlBytes(), layout.pageBytes());
        buffers = arena.allocate(layout.buffersBytes(), layout.pageBytes());
        SegmentFormatter.format(control, layout, GENERATION, 0);
    }

    /** One partition of no single node. */
    static TestSegment ofBuffers(long bufferCount) {
        return of(64, bufferCount);
    }

    /** One partition for each number of buffers, on NUMA nodes 0, 1, ... */
    static TestSegment onNodes(int slotCount, long... bufferCounts) {
        var shapes = new ArrayList<PartitionShape>();
        long offset = 0;
        for (int node = 0; node < bufferCounts.length; node++) {
            shapes.add(new PartitionShape(node, offset, bufferCounts[node], bufferCounts[node]));
            offset += bufferCounts[node] * BUFFER_BYTES;
        }
        return new TestSegment(SegmentLayout.of(shapes, BUFFER_BYTES, offset, slotCount, 8, 4096));
    }

    static TestSegment of(List<PartitionShape> shapes, int slotCount) {
        long buffers = shapes.stream().mapToLong(PartitionShape::bufferCapacity).sum();
        return new TestSegment(SegmentLayout.of(shapes, BUFFER_BYTES, buffers * BUFFER_BYTES, slotCount, 8, 4096));
    }

    static TestSegment of(int slotCount, long bufferCount) {
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, bufferCount, bufferCount);
        return new TestSegment(
                SegmentLayout.of(List.of(shape), BUFFER_BYTES, bufferCount * BUFFER_BYTES, slotCount, 8, 4096));
    }

    SegmentLayout layout() {
        return layout;
    }

    /** A client with the next number and waits short enough for a test that expects them to end. */
    BufferPool attach() {
        return attach(nextClient++, patient());
    }

    BufferPool attach(int clientNumber, PoolOptions options) {
        return BufferPool.attach(control, buffers, LINUX, clientNumber, Access.READ_WRITE, options);
    }

    /** The sidecar, or the next process of it. */
    BufferPool takeOver() {
        return BufferPool.takeOver(control, buffers, LINUX, SIDECAR, patient());
    }

    BufferPool attachReadOnly() {
        return BufferPool.attach(control, buffers.asReadOnly(), LINUX, nextClient++, Access.READ_ONLY, patient());
    }

    /** Long waits: nothing in the test may run into them. */
    static PoolOptions patient() {
        return new PoolOptions(() -> -1, 60 * SECOND_NANOS, 60 * SECOND_NANOS, 60 * SECOND_NANOS, 60 * SECOND_NANOS);
    }

    /** Waits that end at once, for tests of what happens then. */
    static PoolOptions hasty() {
        return new PoolOptions(() -> -1, 1, 1, 1, 1);
    }

    @Override
    public void close() {
        arena.close();
    }
}
