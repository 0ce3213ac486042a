package io.numabufferpool.layout;

/** One word of a pin ledger: a buffer number and, in bits 63..48, how it is held. 0: nothing held. Pure functions. */
public final class LedgerEntry {
    public static final int MODE_SHIFT = 48;
    /** Pinned: the page stays. */
    public static final long PINNED = 1L << MODE_SHIFT;
    /** Pinned, and the content must not change. Not used by version 1.0. */
    public static final long SHARED = 2L << MODE_SHIFT;

    private LedgerEntry() {}

    public static long pinned(long bufferNumber) {
        return PINNED | bufferNumber;
    }

    public static long bufferNumber(long entry) {
        return entry & BufferNumber.MASK;
    }
}
