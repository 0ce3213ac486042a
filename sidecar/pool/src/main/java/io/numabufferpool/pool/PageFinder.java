package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.StateWord;
import java.lang.invoke.VarHandle;

/**
 * The hit path of one session: look up, publish, fence, look. No lock, no allocation, no store to a shared line but the
 * usageCount below its maximum. Not thread-safe.
 *
 * <p>A pinner that meets EVICTING keeps its ledger entry and takes the page back by compare-and-set. If that fails and the
 * word is EVICTING in another version, that eviction began after the publication, so its scan finds the entry and gives
 * the page back: it is pinned already. Without this rule pinner and sweepers can step back from each other for ever.
 */
final class PageFinder {
    /** No buffer has the page. */
    static final long MISS = 0;

    /** A buffer has the page, but somebody is loading or unmapping it: see {@link #busyNumber}. */
    static final long BUSY = -1;

    /** The page is there, but its writer died inside it. */
    private static final long TORN = -2;

    /**
     * Looks at one state word: VALID, else taken back, else another version, else gone. More than a few rounds would need
     * flags that change under EVICTING; giving up means looking it up again.
     */
    private static final int CONFIRM_ROUNDS = 8;

    /** Pages that are looked up together: more look-ups than a core can have under way at once gain nothing. */
    static final int TOGETHER_MAX = 32;

    private final Segment segment;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final PinLedger ledger;
    private final SlotCounters counters;
    private final BufferWait wait;

    private final int[] positions = new int[TOGETHER_MAX];
    private long busyNumber;
    private long busyWord;

    PageFinder(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            PinLedger ledger,
            SlotCounters counters,
            BufferWait wait) {
        this.segment = segment;
        this.descriptors = descriptors;
        this.table = table;
        this.ledger = ledger;
        this.counters = counters;
        this.wait = wait;
    }

    /** The number of the buffer, pinned once more; or {@link #MISS}, or {@link #BUSY}. */
    long findAndPin(int space, long block, long hash) {
        long home = table.home(hash);
        long wanted = LookupTable.fingerprint(hash);
        int distance = 0;
        do {
            long bucket = table.bucketOffset(home, distance);
            for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                long entry = table.entry(bucket, i);
                if (entry >>> LookupBucketLayout.FINGERPRINT_SHIFT != wanted || entry == 0) {
                    continue;
                }
                long found = pin(entry & BufferNumber.MASK, space, block);
                if (found != MISS) {
                    return found;
                }
            }
            // Few keys lie beyond their home bucket, so a hit rarely needs to know how far to look.
        } while (++distance <= table.reach(table.bucketOffset(home, 0)));
        return MISS;
    }

    /**
     * The same for up to {@link #TOGETHER_MAX} blocks with one full fence for all: the processor reads all their buckets at once,
     * then all their state words. Afterwards {@code numbers[first + i]} is pinned once, or {@link #MISS} where the block has
     * to be looked up alone: not there, busy, torn, or held by this session already. The ledger has room for all.
     */
    void findAndPinTogether(int space, long[] blocks, long[] numbers, int first, int count) {
        for (int i = 0; i < count; i++) {
            numbers[first + i] = candidate(LookupTable.hash(space, blocks[first + i]));
        }
        for (int i = 0; i < count; i++) {
            long number = numbers[first + i];
            boolean alone = number == MISS || !segment.hasBuffer(number) || ledger.find(number) != PinLedger.ABSENT;
            numbers[first + i] = alone ? MISS : number;
            positions[i] = alone ? PinLedger.ABSENT : ledger.publish(number);
        }
        VarHandle.fullFence();
        for (int i = 0; i < count; i++) {
            if (positions[i] == PinLedger.ABSENT) {
                continue;
            }
            long number = numbers[first + i];
            if (confirm(segment.descriptor(number), number, space, blocks[first + i]) != number) {
                ledger.unpin(positions[i]);
                numbers[first + i] = MISS;
            }
        }
    }

    /** The first buffer whose entry has the fingerprint, or {@link #MISS}; its tag has not been looked at. */
    private long candidate(long hash) {
        long home = table.home(hash);
        long wanted = LookupTable.fingerprint(hash);
        int distance = 0;
        do {
            long bucket = table.bucketOffset(home, distance);
            for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                long entry = table.entry(bucket, i);
                if (entry >>> LookupBucketLayout.FINGERPRINT_SHIFT == wanted && entry != 0) {
                    return entry & BufferNumber.MASK;
                }
            }
        } while (++distance <= table.reach(table.bucketOffset(home, 0)));
        return MISS;
    }

    /** The same for a page that stands in that buffer, also one that is torn: its number, or {@link #MISS}. */
    long pinBuffer(long number, int space, long block) {
        int held = ledger.find(number);
        if (held != PinLedger.ABSENT) {
            return pinAgain(held, segment.descriptor(number), number, space, block);
        }
        int position = ledger.publish(number);
        VarHandle.fullFence();
        long outcome = confirm(segment.descriptor(number), number, space, block);
        if (outcome == number || outcome == TORN) {
            return number;
        }
        ledger.unpin(position);
        return MISS;
    }

    private long pin(long number, int space, long block) {
        long at = segment.descriptor(number);
        int position = ledger.find(number);
        if (position != PinLedger.ABSENT) {
            return pinAgain(position, at, number, space, block);
        }
        position = ledger.publish(number);
        VarHandle.fullFence();
        long outcome = confirm(at, number, space, block);
        if (outcome != number) {
            ledger.unpin(position);
        }
        if (outcome == TORN) {
            throw PoolException.torn(space, block);
        }
        return outcome;
    }

    /** This session holds the buffer, so its tag cannot change: either it is the page, or one with the same fingerprint. */
    private long pinAgain(int position, long at, long number, int space, long block) {
        if (!descriptors.tagIs(at, space, block)) {
            return MISS;
        }
        ledger.countAgain(position);
        return number;
    }

    private long confirm(long at, long number, int space, long block) {
        long word = descriptors.state(at);
        for (int round = 0; round < CONFIRM_ROUNDS; round++) {
            int phase = StateWord.phase(word);
            if (phase == StateWord.VALID) {
                return accept(at, word, number, space, block);
            }
            if (phase == StateWord.LOADING || phase == StateWord.UNMAPPING) {
                busyNumber = number;
                busyWord = word;
                return descriptors.tagIs(at, space, block) ? BUSY : MISS;
            }
            if (phase != StateWord.EVICTING) {
                return MISS;
            }
            if (descriptors.compareAndSet(at, word, StateWord.givenBack(word))) {
                counters.add(PoolCounter.RESCUES, segment.counterGroup(number));
                return accept(at, StateWord.givenBack(word), number, space, block);
            }
            long next = descriptors.state(at);
            if (StateWord.phase(next) == StateWord.EVICTING && StateWord.version(next) != StateWord.version(word)) {
                return accept(at, next, number, space, block);
            }
            word = next;
        }
        return MISS;
    }

    /** The page cannot go any more; is it the right one, and whole? */
    private long accept(long at, long word, long number, int space, long block) {
        if (!descriptors.tagIs(at, space, block)) {
            return MISS;
        }
        if (StateWord.has(word, StateWord.TORN)) {
            return TORN;
        }
        if (StateWord.phase(word) == StateWord.VALID && StateWord.usageCount(word) < StateWord.USAGE_COUNT_MAX) {
            // Losing this race loses one use out of five.
            descriptors.compareAndSet(at, word, word + StateWord.USAGE_ONE);
        }
        return number;
    }

    /** Sleeps a bounded time until the buffer that was {@link #BUSY} moves on. Published, so that the reaper can wake it. */
    void awaitBusy() {
        wait.sleepWhile(busyNumber, busyWord);
    }

    /** Owner (slot index + 1) of the buffer that was {@link #BUSY}. */
    int busyOwner() {
        return StateWord.owner(busyWord);
    }
}
