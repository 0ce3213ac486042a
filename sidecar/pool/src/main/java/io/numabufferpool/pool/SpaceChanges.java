package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;

/** What one session does with all changed pages of a space: write them, or take them back. Not thread-safe. */
final class SpaceChanges {
    private final Segment segment;
    private final DescriptorTable descriptors;
    private final SpacePages pages;
    private final PinLedger ledger;
    private final PageFinder finder;
    private final ContentLock contentLock;
    private final WriteBack writeBack;

    SpaceChanges(BufferPool pool, PinLedger ledger, PageFinder finder, ContentLock contentLock, WriteBack writeBack) {
        this.segment = pool.segment();
        this.descriptors = pool.descriptors();
        this.pages = pool.pages();
        this.ledger = ledger;
        this.finder = finder;
        this.contentLock = contentLock;
        this.writeBack = writeBack;
    }

    /** How many dirty pages were written; torn ones stay. */
    int flush(int space, BlockSink sink) throws IOException {
        return flushPages(space, sink, (word, at) -> StateWord.has(word, StateWord.DIRTY | StateWord.WRITING));
    }

    /** The same for those whose changers have died. */
    int flushOrphans(int space, BlockSink sink) throws IOException {
        return flushPages(
                space,
                sink,
                (word, at) -> StateWord.has(word, StateWord.DIRTY)
                        && descriptors.dirtier(at) == BufferDescriptorLayout.DIRTIER_DIED);
    }

    private int flushPages(int space, BlockSink sink, SpacePages.Wanted wanted) throws IOException {
        int written = 0;
        for (var page : pages.find(space, Integer.MAX_VALUE, wanted)) {
            ledger.reserve();
            if (finder.pinBuffer(page.number(), space, page.block()) == PageFinder.MISS) {
                continue;
            }
            try {
                // Its own changes that are not complete yet are not for the file.
                boolean skipped = ledger.isExclusive(ledger.find(page.number()))
                        || StateWord.has(descriptors.state(segment.descriptor(page.number())), StateWord.TORN);
                written += !skipped && writeBack.flush(page.number(), sink) ? 1 : 0;
            } finally {
                ledger.unpin(ledger.find(page.number()));
            }
        }
        return written;
    }

    /** How many pages of dead changers were read again: torn ones, and those with changes after {@code loggedPosition}. */
    int reloadUnlogged(int space, long loggedPosition, BlockLoader loader) throws IOException {
        int reloaded = 0;
        var suspects = pages.find(
                space,
                Integer.MAX_VALUE,
                (word, at) -> StateWord.has(word, StateWord.TORN | StateWord.WRITING)
                        || isUnlogged(word, at, loggedPosition));
        for (var page : suspects) {
            ledger.reserve();
            if (finder.pinBuffer(page.number(), space, page.block()) == PageFinder.MISS) {
                continue;
            }
            try {
                reloaded += reload(page, loggedPosition, loader) ? 1 : 0;
            } finally {
                ledger.unpin(ledger.find(page.number()));
            }
        }
        return reloaded;
    }

    private boolean isUnlogged(long word, long at, long loggedPosition) {
        return StateWord.has(word, StateWord.DIRTY)
                && descriptors.dirtier(at) == BufferDescriptorLayout.DIRTIER_DIED
                && descriptors.logPosition(at) > loggedPosition;
    }

    private boolean reload(SpacePages.Page page, long loggedPosition, BlockLoader loader) throws IOException {
        int position = ledger.find(page.number());
        long at = segment.descriptor(page.number());
        // Waits for a writer: a living one ends, a dead one is reaped, and then the page is torn.
        contentLock.lockExclusive(position, page.number(), true);
        long word = descriptors.state(at);
        if (!StateWord.has(word, StateWord.TORN) && !isUnlogged(word, at, loggedPosition)) {
            contentLock.unlockExclusive(position, page.number(), 0, 0);
            return false;
        }
        long outcome = StateWord.TORN;
        try {
            loader.load(
                    segment.buffers.asSlice(segment.bufferOffset(page.number()), segment.bufferBytes), page.block());
            outcome = 0;
        } finally {
            long cleared = outcome == 0 ? StateWord.TORN | StateWord.DIRTY : 0;
            contentLock.unlockExclusive(position, page.number(), outcome, cleared);
        }
        return true;
    }
}
