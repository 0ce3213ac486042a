package io.numabufferpool.bench.replacement;

import java.util.HashMap;
import java.util.TreeMap;

/** OPT, after Belady 1966: evicts what is needed again last, because it knows the references to come. The bound of all policies. */
final class OptimalCache implements BlockCache {
    private final int size;
    private final long[] nextUse;
    private final HashMap<Long, Long> uses = new HashMap<>();
    private final TreeMap<Long, Long> byNextUse = new TreeMap<>();
    private int position;

    /** @param references exactly what {@link #reference} will be called with */
    OptimalCache(int size, long[] references) {
        this.size = size;
        this.nextUse = new long[references.length];
        var last = new HashMap<Long, Integer>();
        for (int i = references.length - 1; i >= 0; i--) {
            var next = last.put(references[i], i);
            // Never again: later than everything, and each of them another number.
            nextUse[i] = next == null ? (long) references.length + i : next;
        }
    }

    @Override
    public boolean reference(long block) {
        long next = nextUse[position++];
        var known = uses.get(block);
        if (known != null) {
            byNextUse.remove(known);
        } else if (uses.size() == size) {
            uses.remove(byNextUse.pollLastEntry().getValue());
        }
        uses.put(block, next);
        byNextUse.put(next, block);
        return known != null;
    }
}
