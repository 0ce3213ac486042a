package io.numabufferpool.layout;

/** One word of a pin ledger: a buffer number and, in bits 63..48, how it is held. 0: nothing held. Pure functions. */
public final class LedgerEntry {
    public static final int MODE_SHIFT = 48;
    /** Pinned: the page stays. */
    public static final long PINNED = 1L << MODE_SHIFT;
    /** Pinned, and the content must not change. */
    public static final long SHARED = 2L << MODE_SHIFT;

    /** Where the futex word of an entry lies: its upper half, which changes with the mode (little-endian). */
    public static final long FUTEX_OFFSET = 4;

    private LedgerEntry() {}

    public static long pinned(long bufferNumber) {
        return PINNED | bufferNumber;
    }

    public static long shared(long bufferNumber) {
        return SHARED | bufferNumber;
    }

    /** The part that a futex compares. */
    public static int futexWord(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    public static long bufferNumber(long entry) {
        return entry & BufferNumber.MASK;
    }
}
