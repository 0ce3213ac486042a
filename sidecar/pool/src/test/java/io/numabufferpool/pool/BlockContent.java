package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a block holds in these tests: every 8 bytes tell space, block and place, so a wrong page shows wherever one looks. */
final class BlockContent {
    private BlockContent() {}

    static BlockLoader of(int space) {
        return (target, block) -> fill(target, space, block);
    }

    static void fill(MemorySegment target, int space, long block) {
        for (long offset = 0; offset < target.byteSize(); offset += Long.BYTES) {
            target.set(ValueLayout.JAVA_LONG, offset, word(space, block, offset));
        }
    }

    static void check(MemorySegment page, int space, long block) {
        for (long offset = 0; offset < page.byteSize(); offset += Long.BYTES) {
            long word = page.get(ValueLayout.JAVA_LONG, offset);
            if (word != word(space, block, offset)) {
                assertThat(word)
                        .as("block %d of space %d at offset %d", block, space, offset)
                        .isEqualTo(word(space, block, offset));
            }
        }
    }

    private static long word(int space, long block, long offset) {
        return LookupTable.hash(space, block) + offset;
    }
}
