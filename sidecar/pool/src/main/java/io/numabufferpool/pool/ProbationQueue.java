package io.numabufferpool.pool;

import java.util.Arrays;

/**
 * The buffers that one session admitted lately, oldest first: each has to be used once more before its turn comes, or it is a
 * victim. In the session's heap, a hint: what another session does with a buffer meanwhile shows in its version. Not thread-safe.
 */
final class ProbationQueue {
    /** The queue is empty. */
    static final long NONE = 0;

    /** 512 KiB of heap. */
    static final int SIZE_MAX = 1 << 16;

    private static final int FIRST_CAPACITY = 64;
    private static final int VERSION_SHIFT = 48;

    private long[] entries = new long[FIRST_CAPACITY];
    private int first;
    private int size;

    int size() {
        return size;
    }

    /** If the queue is full, the oldest entry leaves it: its page stays in the pool as one among the others. */
    void add(long number, long version) {
        if (size == SIZE_MAX) {
            poll();
        }
        if (size == entries.length) {
            grow();
        }
        entries[(first + size++) & (entries.length - 1)] = number | version << VERSION_SHIFT;
    }

    /** The oldest entry, or {@link #NONE}. */
    long poll() {
        if (size == 0) {
            return NONE;
        }
        long entry = entries[first];
        first = (first + 1) & (entries.length - 1);
        size--;
        return entry;
    }

    static long number(long entry) {
        return entry & (1L << VERSION_SHIFT) - 1;
    }

    /** True if that may be the version the entry was made with: its low 16 bits are. */
    static boolean isVersion(long entry, long version) {
        return entry >>> VERSION_SHIFT == (version & 0xFFFF);
    }

    private void grow() {
        var larger = Arrays.copyOf(entries, 2 * entries.length);
        // What had wrapped around comes after what had not.
        System.arraycopy(entries, 0, larger, entries.length, first);
        entries = larger;
    }
}
