package io.numabufferpool.pool;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Pages that a ReadOnly session read for itself; the handle of the page at i is -(i + 1). Not thread-safe. */
final class PrivatePages {
    private final long pageBytes;
    private final List<PrivatePage> pages = new ArrayList<>();

    private record PrivatePage(MemorySegment memory, boolean[] inUse) {}

    PrivatePages(long pageBytes) {
        this.pageBytes = pageBytes;
    }

    long pin(long block, BlockLoader loader) throws IOException {
        int index = 0;
        while (index < pages.size() && pages.get(index).inUse()[0]) {
            index++;
        }
        if (index == pages.size()) {
            // Of the collector: a page that is given back serves the next miss, the rest goes with the session.
            pages.add(new PrivatePage(Arena.ofAuto().allocate(pageBytes, pageBytes), new boolean[1]));
        }
        var page = pages.get(index);
        loader.load(page.memory(), block);
        page.inUse()[0] = true;
        return -(index + 1L);
    }

    MemorySegment memory(long handle) {
        return page(handle).memory();
    }

    void unpin(long handle) {
        page(handle).inUse()[0] = false;
    }

    private PrivatePage page(long handle) {
        long index = -(handle + 1);
        if (index >= pages.size() || !pages.get((int) index).inUse()[0]) {
            throw new IllegalStateException(
                    "private page " + index + " is not pinned by this session: unpinned twice?");
        }
        return pages.get((int) index);
    }
}
