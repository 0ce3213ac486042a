package io.numabufferpool.bench;

import static io.numabufferpool.bench.BenchSegment.BUFFER_BYTES;
import static io.numabufferpool.bench.BenchSegment.SPACE;
import static io.numabufferpool.bench.BenchSegment.lineOffset;

import io.numabufferpool.pool.BlockLoader;
import io.numabufferpool.pool.PoolSession;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a hit costs against a plain array of the same pages, in a process that attached to a segment it did not make. */
final class HitBenchmarks {
    /** Hits only: a miss would measure something else. */
    private static final BlockLoader NO_MISS = (target, block) -> {
        throw new IOException(
                "block " + block + " is not in the pool, though every block was loaded: not a hit benchmark");
    };

    private static final int CLIENT = 2;
    private static final String ARRAY = "array";
    private static final int TOUCHES = 100_000;
    /** A multiple of the batch, as the touches are. */
    private static final int SUMS = 2_000;

    private static final int BATCH = 8;

    private HitBenchmarks() {}

    static Figure touch8(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            var array = segment.array();
            int count = segment.pageCount();
            var ours = new RandomPages(count);
            var theirs = new RandomPages(count);
            return InterleavedSlices.measure(
                            times -> touchPool(session, ours, times),
                            times -> touchArray(array, theirs, times),
                            TOUCHES)
                    .ratio("hit.touch8", ARRAY, 2.2);
        }
    }

    private static long touchPool(PoolSession session, RandomPages pages, int times) throws IOException {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            long block = pages.next();
            long handle = session.pin(SPACE, block, NO_MISS);
            sum += session.memory(handle).get(ValueLayout.JAVA_LONG, lineOffset(block));
            session.unpin(handle);
        }
        return sum;
    }

    private static long touchArray(MemorySegment array, RandomPages pages, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            long index = pages.next();
            sum += array.get(ValueLayout.JAVA_LONG, index * BUFFER_BYTES + lineOffset(index));
        }
        return sum;
    }

    static Figure chain(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            var array = segment.array();
            var ours = new long[1];
            var theirs = new long[1];
            return InterleavedSlices.measure(
                            times -> chainPool(session, ours, times),
                            times -> chainArray(array, theirs, times),
                            TOUCHES)
                    .ratio("hit.chain", ARRAY, 1.9);
        }
    }

    private static long chainPool(PoolSession session, long[] position, int times) throws IOException {
        long block = position[0];
        for (int i = 0; i < times; i++) {
            long handle = session.pin(SPACE, block, NO_MISS);
            long next = session.memory(handle).get(ValueLayout.JAVA_LONG, lineOffset(block));
            session.unpin(handle);
            block = next;
        }
        position[0] = block;
        return block;
    }

    private static long chainArray(MemorySegment array, long[] position, int times) {
        long index = position[0];
        for (int i = 0; i < times; i++) {
            index = array.get(ValueLayout.JAVA_LONG, index * BUFFER_BYTES + lineOffset(index) + Long.BYTES);
        }
        position[0] = index;
        return index;
    }

    static Figure sum8k(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            var array = segment.array();
            int count = segment.pageCount();
            var ours = new RandomPages(count);
            var theirs = new RandomPages(count);
            return InterleavedSlices.measure(
                            times -> sumPool(session, ours, times), times -> sumArray(array, theirs, times), SUMS)
                    .ratio("hit.sum8k", ARRAY, 1.2);
        }
    }

    /** Eight pages pinned together, then summed one after the other. */
    static Figure batch8(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            var array = segment.array();
            int count = segment.pageCount();
            var ours = new RandomPages(count);
            var theirs = new RandomPages(count);
            var blocks = new long[BATCH];
            var handles = new long[BATCH];
            return InterleavedSlices.measure(
                            times -> sumBatches(session, ours, blocks, handles, times),
                            times -> sumArray(array, theirs, times),
                            SUMS)
                    .ratio("hit.batch8", ARRAY, 1.05);
        }
    }

    private static long sumBatches(PoolSession session, RandomPages pages, long[] blocks, long[] handles, int times)
            throws IOException {
        long sum = 0;
        for (int done = 0; done < times; done += BATCH) {
            pinBatch(session, pages, blocks, handles);
            for (long handle : handles) {
                sum += sum(session.memory(handle), 0);
            }
            session.unpinAll(handles, BATCH);
        }
        return sum;
    }

    /** The touch of {@link #touch8}, eight pages at a time. */
    static Figure touchBatch(BenchSegment segment) throws Exception {
        try (var session = segment.attach(CLIENT).openSession()) {
            var array = segment.array();
            int count = segment.pageCount();
            var ours = new RandomPages(count);
            var theirs = new RandomPages(count);
            var blocks = new long[BATCH];
            var handles = new long[BATCH];
            return InterleavedSlices.measure(
                            times -> touchBatches(session, ours, blocks, handles, times),
                            times -> touchArray(array, theirs, times),
                            TOUCHES)
                    .ratio("hit.touch8batch8", ARRAY, 2.2);
        }
    }

    private static long touchBatches(PoolSession session, RandomPages pages, long[] blocks, long[] handles, int times)
            throws IOException {
        long sum = 0;
        for (int done = 0; done < times; done += BATCH) {
            pinBatch(session, pages, blocks, handles);
            for (int i = 0; i < BATCH; i++) {
                sum += session.memory(handles[i]).get(ValueLayout.JAVA_LONG, lineOffset(blocks[i]));
            }
            session.unpinAll(handles, BATCH);
        }
        return sum;
    }

    private static void pinBatch(PoolSession session, RandomPages pages, long[] blocks, long[] handles)
            throws IOException {
        for (int i = 0; i < BATCH; i++) {
            blocks[i] = pages.next();
        }
        session.pinAll(SPACE, blocks, handles, NO_MISS);
    }

    private static long sumPool(PoolSession session, RandomPages pages, int times) throws IOException {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            long handle = session.pin(SPACE, pages.next(), NO_MISS);
            sum += sum(session.memory(handle), 0);
            session.unpin(handle);
        }
        return sum;
    }

    private static long sumArray(MemorySegment array, RandomPages pages, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += sum(array, (long) pages.next() * BUFFER_BYTES);
        }
        return sum;
    }

    static long sum(MemorySegment memory, long offsetBytes) {
        long sum = 0;
        for (int i = 0; i < BUFFER_BYTES; i += Long.BYTES) {
            sum += memory.get(ValueLayout.JAVA_LONG, offsetBytes + i);
        }
        return sum;
    }
}
