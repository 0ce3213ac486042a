package io.numabufferpool.layout;

/**
 * What a slot counts, for each NUMA node of the buffer it concerns. Written by the slot's owner alone (opaque), read by
 * anybody (opaque), never reset: a slot's next owner goes on counting, so a total is a sum over slots and survives every death.
 */
public enum PoolCounter {
    HITS(0, "hits", "pages", "Pages that were found in the pool."),
    MISSES(1, "misses", "pages", "Pages that were not found and were read by this session."),
    EVICTIONS(2, "evictions", "pages", "Pages that made room for another."),
    LOAD_FAILURES(3, "load_failures", "pages", "Reads of a block that failed; the buffer was freed."),
    WAITS(4, "waits", "waits", "Sleeps until another session had loaded or unmapped a page."),
    RESCUES(5, "rescues", "pages", "Pages that a pinner took back from a sweeper that was about to evict them."),
    STEALS(6, "steals", "buffers", "Free buffers taken from another session's reserve."),
    RETRIES(7, "retries", "reads", "Optimistic reads that had to be repeated.");

    /** One cache line a NUMA node. */
    public static final long GROUP_BYTES = 64;

    private final int id;
    private final String label;
    private final String unit;
    private final String doc;

    static {
        StructDeclaration.require(
                (long) values().length * Long.BYTES <= GROUP_BYTES, "PoolCounter outgrew its cache line");
    }

    PoolCounter(int id, String label, String unit, String doc) {
        this.id = id;
        this.label = label;
        this.unit = unit;
        this.doc = doc;
    }

    /** 0-based; part of the layout. */
    public int id() {
        return id;
    }

    /** Where it lies in its NUMA node's line. */
    public long offsetBytes() {
        return (long) id * Long.BYTES;
    }

    /** Name in metrics and C. */
    public String label() {
        return label;
    }

    public String unit() {
        return unit;
    }

    public String doc() {
        return doc;
    }
}
