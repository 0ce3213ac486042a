package io.numabufferpool.bench.replacement;

import java.util.HashMap;
import java.util.Map;

/**
 * The clock: PostgreSQL's, whose buffers come in with usage 1 and are counted up to 5 (src/backend/storage/buffer/freelist.c), or
 * the plain one with a reference bit.
 */
final class ClockCache implements BlockCache {
    private static final int POSTGRES_USAGE_MAX = 5;

    private final Map<Long, Integer> places = new HashMap<>();
    private final long[] blocks;
    private final int[] usages;
    private final int firstUsage;
    private final int usageMax;
    private int hand;

    private ClockCache(int size, int firstUsage, int usageMax) {
        this.blocks = new long[size];
        this.usages = new int[size];
        this.firstUsage = firstUsage;
        this.usageMax = usageMax;
    }

    static ClockCache ofPostgres(int size) {
        return new ClockCache(size, 1, POSTGRES_USAGE_MAX);
    }

    static ClockCache plain(int size) {
        return new ClockCache(size, 0, 1);
    }

    @Override
    public boolean reference(long block) {
        var known = places.get(block);
        if (known != null) {
            usages[known] = Math.min(usageMax, usages[known] + 1);
            return true;
        }
        int place = places.size() < blocks.length ? places.size() : victim();
        blocks[place] = block;
        usages[place] = firstUsage;
        places.put(block, place);
        return false;
    }

    private int victim() {
        while (usages[hand] > 0) {
            usages[hand]--;
            hand = (hand + 1) % blocks.length;
        }
        int place = hand;
        hand = (hand + 1) % blocks.length;
        places.remove(blocks[place]);
        return place;
    }
}
