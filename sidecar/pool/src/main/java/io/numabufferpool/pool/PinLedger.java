package io.numabufferpool.pool;

import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The pins of one session: published in its slot's ledger, each page once, with a private count. A session that holds
 * more pages than a ledger has entries publishes the rest in further slots, which it gets from a {@link Growth}. Not
 * thread-safe; only this session writes these ledgers.
 */
final class PinLedger {
    /** Leases one more slot. */
    @FunctionalInterface
    interface Growth {
        /** Its index. @throws PoolException.NoFreeSlot if there is none */
        int leaseSlot();
    }

    static final int ABSENT = -1;

    private static final int EXCLUSIVE = -1;

    private final Segment segment;
    private final MemorySegment control;
    private final Growth growth;
    private int[] slots;
    private int slotCount;
    private long[] numbers;
    private int[] counts;

    /** How often SHARED, or {@link #EXCLUSIVE}; 0: pinned only. */
    private int[] locks;

    private int[] freePositions;
    private int freeCount;
    private int nextPosition;

    /** Positions from here on have not been published; positions are handed out ascending, so one bound serves all slots. */
    private int publishedHigh;

    /** Open addressing from a buffer number to its position + 1; twice as many places as positions, so a gap is near. */
    private int[] index;

    PinLedger(Segment segment, int firstSlot, Growth growth) {
        this.segment = segment;
        this.control = segment.control;
        this.growth = growth;
        slots = new int[] {firstSlot};
        slotCount = 1;
        numbers = new long[SlotLayout.LEDGER_ENTRY_COUNT];
        counts = new int[SlotLayout.LEDGER_ENTRY_COUNT];
        locks = new int[SlotLayout.LEDGER_ENTRY_COUNT];
        freePositions = new int[SlotLayout.LEDGER_ENTRY_COUNT];
        index = new int[2 * SlotLayout.LEDGER_ENTRY_COUNT];
    }

    /** Makes sure that the next {@link #publish} has an entry, before anything is begun. */
    void reserve() {
        if (freeCount == 0 && nextPosition == numbers.length) {
            grow();
        }
    }

    /** The same for that many publications. */
    void reserve(int pages) {
        while (freeCount + numbers.length - nextPosition < pages) {
            grow();
        }
    }

    private void grow() {
        int slot = growth.leaseSlot();
        slots = Arrays.copyOf(slots, slotCount + 1);
        slots[slotCount++] = slot;
        int capacity = slotCount * SlotLayout.LEDGER_ENTRY_COUNT;
        numbers = Arrays.copyOf(numbers, capacity);
        counts = Arrays.copyOf(counts, capacity);
        locks = Arrays.copyOf(locks, capacity);
        freePositions = Arrays.copyOf(freePositions, capacity);
        index = new int[Integer.highestOneBit(2 * capacity - 1) << 1];
        for (int position = 0; position < nextPosition; position++) {
            if (numbers[position] != 0) {
                index[gapFor(numbers[position])] = position + 1;
            }
        }
    }

    /** Position of a page that this session has pinned, or {@link #ABSENT}. */
    int find(long number) {
        int mask = index.length - 1;
        for (int at = home(number); index[at] != 0; at = (at + 1) & mask) {
            if (numbers[index[at] - 1] == number) {
                return index[at] - 1;
            }
        }
        return ABSENT;
    }

    /** Stores a pin that is counted once. The caller puts a full fence between this and his look at the state word. */
    int publish(long number) {
        int position = freeCount > 0 ? freePositions[--freeCount] : nextPosition++;
        numbers[position] = number;
        counts[position] = 1;
        index[gapFor(number)] = position + 1;
        raiseHigh(position);
        SlotLayout.LEDGER_ENTRY.setOpaque(control, entryOffset(position), LedgerEntry.pinned(number));
        if (CrashPoint.ARMED) {
            CrashPoint.PIN_PUBLISHED.reached();
        }
        return position;
    }

    /** The bound before the entry it makes visible; the caller's fence is behind both. */
    private void raiseHigh(int position) {
        if (position >= publishedHigh) {
            publishedHigh = position + 1;
            SlotLayout.LEDGER_HIGH.setOpaque(
                    control,
                    segment.slotOffset(slots[position / SlotLayout.LEDGER_ENTRY_COUNT]),
                    position % SlotLayout.LEDGER_ENTRY_COUNT + 1);
            if (CrashPoint.ARMED) {
                CrashPoint.LEDGER_RAISED.reached();
            }
        }
    }

    void countAgain(int position) {
        counts[position]++;
    }

    /** One pin less; the last one clears the entry, after every access to the page. @throws IllegalStateException if it is locked */
    void unpin(int position) {
        if (counts[position] == 1) {
            requireUnlocked(position);
        }
        if (--counts[position] == 0) {
            clear(position);
        }
    }

    private void requireUnlocked(int position) {
        if (locks[position] != 0) {
            throw new IllegalStateException("buffer " + Long.toHexString(numbers[position]) + " is locked for "
                    + (locks[position] == EXCLUSIVE ? "writing" : "reading") + " by this session: unlock it first");
        }
    }

    /** Says that the content must not change, once more. The caller puts a full fence between this and his look at the state word. */
    void share(int position) {
        if (locks[position]++ == 0) {
            SlotLayout.LEDGER_ENTRY.setOpaque(control, entryOffset(position), LedgerEntry.shared(numbers[position]));
        }
    }

    /** Takes it back, after every access to the page; true if it was the last. The caller's full fence follows. */
    boolean unshare(int position) {
        if (--locks[position] > 0) {
            return false;
        }
        SlotLayout.LEDGER_ENTRY.setRelease(control, entryOffset(position), LedgerEntry.pinned(numbers[position]));
        return true;
    }

    int sharedCount(int position) {
        return Math.max(0, locks[position]);
    }

    boolean isExclusive(int position) {
        return locks[position] == EXCLUSIVE;
    }

    /** For this session only; what others see is in the state word. */
    void setExclusive(int position, boolean exclusive) {
        locks[position] = exclusive ? EXCLUSIVE : 0;
    }

    /** The next position at or after {@code from} that is locked for writing, or {@link #ABSENT}. */
    int nextExclusive(int from) {
        for (int position = from; position < nextPosition; position++) {
            if (locks[position] == EXCLUSIVE) {
                return position;
            }
        }
        return ABSENT;
    }

    long number(int position) {
        return numbers[position];
    }

    private void clear(int position) {
        SlotLayout.LEDGER_ENTRY.setRelease(control, entryOffset(position), 0L);
        if (CrashPoint.ARMED) {
            CrashPoint.PIN_CLEARED.reached();
        }
        removeFromIndex(numbers[position]);
        numbers[position] = 0;
        locks[position] = 0;
        freePositions[freeCount++] = position;
    }

    /** Clears everything; how many pages were still pinned. */
    int clearAll() {
        int pinned = 0;
        for (int position = 0; position < nextPosition; position++) {
            if (numbers[position] != 0) {
                clear(position);
                pinned++;
            }
        }
        return pinned;
    }

    /** The slots after the first. */
    int[] furtherSlots() {
        return Arrays.copyOfRange(slots, 1, slotCount);
    }

    /** Where the entry lies in the control file. */
    long entryOffset(int position) {
        return segment.slotOffset(slots[position / SlotLayout.LEDGER_ENTRY_COUNT])
                + SlotLayout.LEDGER_OFFSET
                + (long) (position % SlotLayout.LEDGER_ENTRY_COUNT) * Long.BYTES;
    }

    private int home(long number) {
        return (int) ((number * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (index.length - 1);
    }

    private int gapFor(long number) {
        int at = home(number);
        while (index[at] != 0) {
            at = (at + 1) & (index.length - 1);
        }
        return at;
    }

    /** Removes without a tombstone: what follows in the run moves up where its own home allows. */
    private void removeFromIndex(long number) {
        int mask = index.length - 1;
        int gap = home(number);
        while (numbers[index[gap] - 1] != number) {
            gap = (gap + 1) & mask;
        }
        for (int at = (gap + 1) & mask; index[at] != 0; at = (at + 1) & mask) {
            int home = home(numbers[index[at] - 1]);
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                index[gap] = index[at];
                gap = at;
            }
        }
        index[gap] = 0;
    }
}
