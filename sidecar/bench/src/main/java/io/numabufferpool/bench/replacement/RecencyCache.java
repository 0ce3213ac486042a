package io.numabufferpool.bench.replacement;

import java.util.LinkedHashMap;
import java.util.Map;

/** LRU: what was not used for longest goes. */
final class RecencyCache implements BlockCache {
    private final int size;
    private final Map<Long, Boolean> blocks = new LinkedHashMap<>(16, 0.75f, true);

    RecencyCache(int size) {
        this.size = size;
    }

    @Override
    public boolean reference(long block) {
        if (blocks.get(block) != null) {
            return true;
        }
        if (blocks.size() == size) {
            blocks.remove(blocks.keySet().iterator().next());
        }
        blocks.put(block, true);
        return false;
    }
}
