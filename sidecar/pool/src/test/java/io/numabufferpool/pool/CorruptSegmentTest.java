package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever stands in the control file, its users get an exception of the pool or wrong numbers: never a stray access, never a hang. */
class CorruptSegmentTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);
    private static final int SEGMENTS = 60;

    private final long seed = Long.getLong("numapool.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void overwrittenWordsNeverLeadOutsideTheSegment() {
        System.out.println("CorruptSegmentTest seed " + seed);
        int refused = 0;
        for (int i = 0; i < SEGMENTS; i++) {
            try (var segment = TestSegment.onNodes(6, 12, 9)) {
                var pool = segment.attach(1, TestSegment.hasty());
                use(pool);
                overwrite(segment);
                refused += use(pool);
                refused += refuses(pool::readStatistics);
                refused += refuses(pool::readTraffic);
                refused += refuses(() -> pool.registerSpace(new SpaceIdentity(1, 2, 3, 4, 5, 6)));
                refused += refuses(() -> pool.reaper().reap(Set.of(1, 2)));
            }
        }

        assertThat(refused).as("seed %d", seed).isPositive();
    }

    @Test
    void anEntryThatNamesNoBufferIsSaidSo() throws IOException {
        try (var segment = TestSegment.ofBuffers(1);
                var session = segment.attach().openSession()) {
            long entry = LookupBucketLayout.entry(
                    LookupTable.fingerprint(LookupTable.hash(SPACE, 0)), BufferNumber.of(0, 1));
            LookupBucketLayout.ENTRY.set(
                    segment.control, segment.layout().bucketsOffset() + LookupBucketLayout.ENTRIES_OFFSET, entry);

            assertThatThrownBy(() -> session.pin(SPACE, 0, LOADER))
                    .isInstanceOf(PoolException.CorruptSegment.class)
                    .hasMessageContaining("buffer number 2 names no buffer of this segment (1 partitions, 1 buffers)");
        }
    }

    /** Everything behind the header and the partitions' static lines, which every process has copied. */
    private void overwrite(TestSegment segment) {
        long begin = segment.layout().spacesOffset();
        long words = (segment.control.byteSize() - begin) / Long.BYTES;
        for (int i = random.nextInt(1, 400); i > 0; i--) {
            long value = random.nextInt(4) == 0 ? -1L >>> random.nextInt(64) : random.nextLong() >>> random.nextInt(64);
            segment.control.set(ValueLayout.JAVA_LONG, begin + random.nextLong(words) * Long.BYTES, value);
        }
        long hotBegin = segment.layout().bucketsOffset();
        long hotWords = (segment.control.byteSize() - hotBegin) / Long.BYTES;
        for (int i = random.nextInt(1, 40); i > 0; i--) {
            segment.control.set(
                    ValueLayout.JAVA_LONG,
                    hotBegin + random.nextLong(hotWords) * Long.BYTES,
                    random.nextLong() >>> random.nextInt(64));
        }
    }

    /** How often the pool refused. */
    private int use(BufferPool pool) {
        int refused = 0;
        try (var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            for (int round = 0; round < 4; round++) {
                refused += refuses(() -> {
                    try (var session = pool.openSession()) {
                        for (int i = 0; i < 20; i++) {
                            session.unpin(session.pin(SPACE, random.nextInt(30), LOADER));
                            session.read(SPACE, random.nextInt(30), 0, copy, LOADER);
                        }
                    }
                });
            }
        }
        return refused;
    }

    private interface Use {
        void use() throws IOException;
    }

    private int refuses(Use use) {
        try {
            use.use();
            return 0;
        } catch (PoolException e) {
            return 1;
        } catch (IOException | RuntimeException e) {
            throw new AssertionError("seed " + seed, e);
        }
    }
}
