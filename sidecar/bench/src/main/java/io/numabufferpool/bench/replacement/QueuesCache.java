package io.numabufferpool.bench.replacement;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * S3-FIFO, after Yang et al., SOSP 2023: a small queue for what is new, a main queue for what was used again, and a ghost queue of
 * as many blocks as the main queue.
 */
final class QueuesCache implements BlockCache {
    private static final int SMALL_SHARE = 10;
    private static final int USES_MAX = 3;

    private final int size;
    private final int smallSize;
    private final int usesToStay;
    private final ArrayDeque<Long> small = new ArrayDeque<>();
    private final ArrayDeque<Long> main = new ArrayDeque<>();
    private final LinkedHashSet<Long> ghosts = new LinkedHashSet<>();
    private final Map<Long, Integer> uses = new HashMap<>();

    /** @param usesToStay how often a block has to be used in the small queue: 2 in the paper, 1 in its authors' later code */
    QueuesCache(int size, int usesToStay) {
        this.size = size;
        this.smallSize = Math.max(1, size / SMALL_SHARE);
        this.usesToStay = usesToStay;
    }

    @Override
    public boolean reference(long block) {
        var known = uses.get(block);
        if (known != null) {
            uses.put(block, Math.min(USES_MAX, known + 1));
            return true;
        }
        if (uses.size() == size && !(small.size() >= smallSize && evictFromSmall())) {
            evictFromMain();
        }
        (ghosts.remove(block) ? main : small).addLast(block);
        uses.put(block, 0);
        return false;
    }

    private boolean evictFromSmall() {
        while (!small.isEmpty()) {
            long block = small.removeFirst();
            if (uses.getOrDefault(block, 0) < usesToStay) {
                uses.remove(block);
                ghosts.add(block);
                if (ghosts.size() > size - smallSize) {
                    ghosts.removeFirst();
                }
                return true;
            }
            uses.put(block, 0);
            main.addLast(block);
        }
        return false;
    }

    private void evictFromMain() {
        while (!main.isEmpty()) {
            long block = main.removeFirst();
            int used = uses.getOrDefault(block, 0);
            if (used == 0) {
                uses.remove(block);
                return;
            }
            uses.put(block, used - 1);
            main.addLast(block);
        }
        evictFromSmall();
    }
}
