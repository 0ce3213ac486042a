package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PinAllTest {
    private static final int SPACE = 3;
    private static final BlockLoader LOADER = BlockContent.of(SPACE);
    private static final int BUFFERS = 512;

    private final TestSegment segment = TestSegment.ofBuffers(BUFFERS);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void hitsAndMissesComeInTheOrderOfTheirBlocks() throws IOException {
        try (var session = segment.attach().openSession()) {
            long[] some = LongStream.range(0, 50).map(i -> 2 * i).toArray();
            long[] all = LongStream.range(0, 100).toArray();
            var handles = new long[all.length];
            session.pinAll(SPACE, some, handles, LOADER);
            session.unpinAll(handles, some.length);

            session.pinAll(SPACE, all, handles, LOADER);

            for (int i = 0; i < all.length; i++) {
                BlockContent.check(session.memory(handles[i]), SPACE, all[i]);
            }
            session.unpinAll(handles, all.length);
        }
    }

    @Test
    void aBlockThatAppearsTwiceIsPinnedTwice() throws IOException {
        try (var session = segment.attach().openSession()) {
            session.unpin(session.pin(SPACE, 7, LOADER));
            long[] blocks = {7, 7};
            var handles = new long[2];

            session.pinAll(SPACE, blocks, handles, LOADER);

            assertThat(handles[0]).isEqualTo(handles[1]);
            session.unpinAll(handles, 2);
            assertThatThrownBy(() -> session.unpin(handles[0])).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void morePagesThanOneLedgerHoldsTakeFurtherSlots() throws IOException {
        try (var session = segment.attach().openSession()) {
            long[] blocks = LongStream.range(0, 400).toArray();
            var handles = new long[blocks.length];

            session.pinAll(SPACE, blocks, handles, LOADER);

            for (int i = 0; i < blocks.length; i++) {
                BlockContent.check(session.memory(handles[i]), SPACE, blocks[i]);
            }
            session.unpinAll(handles, blocks.length);
        }
    }

    @Test
    void aLoadThatFailsLeavesNothingPinned() throws IOException {
        try (var session = segment.attach().openSession()) {
            BlockLoader failing = (target, block) -> {
                if (block == 60) {
                    throw new IOException("block 60 cannot be read");
                }
                LOADER.load(target, block);
            };
            long[] blocks = LongStream.range(0, 100).toArray();
            var handles = new long[blocks.length];

            assertThatThrownBy(() -> session.pinAll(SPACE, blocks, handles, failing))
                    .hasMessage("block 60 cannot be read");

            // Closing would say how many pages are still pinned.
        }
    }

    @Test
    void aTornPageIsRefusedAndNothingStaysPinned() throws IOException {
        var pool = segment.attach();
        try (var session = pool.openSession()) {
            long number = session.pin(SPACE, 5, LOADER);
            session.unpin(number);
            long at = pool.segment().descriptor(number);
            long word = pool.descriptors().state(at);
            assertThat(pool.descriptors().compareAndSet(at, word, word | io.numabufferpool.layout.StateWord.TORN))
                    .isTrue();

            assertThatThrownBy(() -> session.pinAll(SPACE, new long[] {4, 5, 6}, new long[3], LOADER))
                    .isInstanceOf(PoolException.Torn.class);
        }
    }
}
