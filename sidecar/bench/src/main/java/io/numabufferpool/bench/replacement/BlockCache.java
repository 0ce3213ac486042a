package io.numabufferpool.bench.replacement;

/** A cache of a fixed number of blocks, as one policy runs it. */
interface BlockCache {
    /** True if the block was there; it is there afterwards. */
    boolean reference(long block);
}
