package io.numabufferpool.bench;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolOptions;
import io.numabufferpool.pool.SegmentFormatter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The two files of a segment on tmpfs, in 2 MiB pages where the kernel gives them, mapped by this process. Every page has a
 * number in it that names another one, so that look-ups can depend on each other: see {@link #chain}.
 */
final class BenchSegment implements AutoCloseable {
    static final int BUFFER_BYTES = 8192;
    static final int SPACE = 1;

    private static final long HUGE_PAGE_BYTES = 2 << 20;
    private static final long GENERATION = 0xBE9C;
    private static final int LINE_BYTES = 64;
    private static final int LINES = BUFFER_BYTES / LINE_BYTES;

    /** Odd, so that neighbours' lines are far from each other: offset 0 of every page would use one cache set in 128. */
    private static final int LINE_STEP = 37;

    /** Of the order in which the pages name each other. */
    private static final long SEED = 0x5EED;

    private final Linux linux = new JnaLinux();
    private final Mapping control;
    private final Mapping buffers;

    private BenchSegment(Path folder, OpenMode mode, long controlBytes, long buffersBytes) {
        control = map(folder.resolve("control"), mode, controlBytes);
        buffers = map(folder.resolve("buffers"), mode, buffersBytes);
    }

    /** Makes the files and formats them: one partition. */
    static BenchSegment create(Path folder, int bufferCount, int slotCount) {
        long bytes = (long) bufferCount * BUFFER_BYTES;
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, bufferCount, bufferCount);
        var layout = SegmentLayout.of(List.of(shape), BUFFER_BYTES, bytes, slotCount);
        var segment = new BenchSegment(folder, OpenMode.CREATE_NEW, layout.controlBytes(), bytes);
        SegmentFormatter.format(segment.control.memory(), layout, GENERATION, 0);
        return segment;
    }

    static BenchSegment open(Path folder) {
        return new BenchSegment(folder, OpenMode.READ_WRITE, 0, 0);
    }

    private Mapping map(Path path, OpenMode mode, long newBytes) {
        try (var file = linux.open(path, mode, 0600)) {
            if (mode == OpenMode.CREATE_NEW) {
                linux.setLength(file, newBytes);
            }
            long bytes = linux.status(file).bytes();
            var mapping = linux.map(file, 0, bytes, Protection.READ_WRITE, HUGE_PAGE_BYTES);
            linux.advise(mapping.memory(), Advice.POPULATE_WRITE);
            if (mode == OpenMode.CREATE_NEW) {
                // Refused below Linux 6.1: then all is measured on 4 KiB pages, for both sides of every ratio.
                linux.advise(mapping.memory().asSlice(0, bytes - bytes % HUGE_PAGE_BYTES), Advice.COLLAPSE);
            }
            return mapping;
        }
    }

    BufferPool attach(int clientNumber) {
        return BufferPool.attach(
                control.memory(), buffers.memory(), linux, clientNumber, Access.READ_WRITE, PoolOptions.defaults());
    }

    /** The bytes of all buffers: the plain array that the pool is compared with. */
    MemorySegment array() {
        return buffers.memory();
    }

    int pageCount() {
        return (int) (buffers.memory().byteSize() / BUFFER_BYTES);
    }

    /** Where in page {@code index} the 8 bytes lie that a touch reads. */
    static int lineOffset(long index) {
        return (int) (index * LINE_STEP % LINES) * LINE_BYTES;
    }

    /**
     * Loads as many blocks as there are buffers. Then each page names, at its block's line, the next block, and at its buffer's
     * line + 8, the next buffer: one cycle through all of them, once for look-ups and once for the plain array.
     */
    void chain() throws IOException {
        int count = pageCount();
        var order = permutation(count);
        var bufferOf = new int[count];
        var array = array();
        try (var session = attach(1).openSession()) {
            for (int block = 0; block < count; block++) {
                long handle = session.pin(SPACE, block, (target, number) -> target.fill((byte) 1));
                bufferOf[block] = (int) ((session.memory(handle).address() - array.address()) / BUFFER_BYTES);
                session.unpin(handle);
            }
        }
        for (int i = 0; i < count; i++) {
            int block = order[i];
            int next = order[(i + 1) % count];
            long page = (long) bufferOf[block] * BUFFER_BYTES;
            array.set(ValueLayout.JAVA_LONG, page + lineOffset(block), next);
            array.set(ValueLayout.JAVA_LONG, page + lineOffset(bufferOf[block]) + Long.BYTES, bufferOf[next]);
        }
    }

    private static int[] permutation(int count) {
        var random = new SplittableRandom(SEED);
        var order = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    @Override
    public void close() {
        control.close();
        buffers.close();
    }
}
