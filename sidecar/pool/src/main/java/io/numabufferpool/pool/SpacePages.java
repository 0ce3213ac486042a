package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.StateWord;
import java.util.ArrayList;
import java.util.List;

/** Finds the pages of one space in all buffers: some milliseconds per GiB of buffers. Thread-safe; looks, and holds nothing. */
final class SpacePages {
    /** A page that was there when it was looked at. */
    record Page(long number, long block) {}

    /** Decides over the state word at that offset of the control file. */
    interface Wanted {
        boolean is(long word, long at);
    }

    private final Segment segment;
    private final DescriptorTable descriptors;

    SpacePages(Segment segment, DescriptorTable descriptors) {
        this.segment = segment;
        this.descriptors = descriptors;
    }

    /** Changed, half changed, or being changed: what the file does not have. */
    static boolean isUnwritten(long word) {
        return StateWord.phase(word) == StateWord.VALID
                && StateWord.has(word, StateWord.DIRTY | StateWord.TORN | StateWord.WRITING);
    }

    /** Says of every dirty page of the space that its changer has died. */
    void orphanAll(int space) {
        for (var page : find(space, Integer.MAX_VALUE, (word, at) -> StateWord.has(word, StateWord.DIRTY))) {
            long at = segment.descriptor(page.number());
            descriptors.orphan(at, descriptors.dirtier(at));
        }
    }

    /** Those that are VALID and wanted, at most {@code max}. */
    List<Page> find(int space, int max, Wanted wanted) {
        var pages = new ArrayList<Page>();
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            long count = segment.descriptorCount(partition);
            for (long index = 0; index < count; index++) {
                long at = segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES;
                long word = descriptors.stateAcquire(at);
                if (StateWord.phase(word) == StateWord.VALID && descriptors.space(at) == space && wanted.is(word, at)) {
                    pages.add(new Page(BufferNumber.of(partition, index), descriptors.block(at)));
                    if (pages.size() == max) {
                        return pages;
                    }
                }
            }
        }
        return pages;
    }
}
