package io.numabufferpool.pool;

import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;

/** The miss path of one session: a victim gets the block's tag, its entry in the lookup table, and its bytes. Not thread-safe. */
final class PageAdmission {
    private final Segment segment;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final PinLedger ledger;
    private final SlotCounters counters;
    private final ClockSweep sweep;
    private final PoolOptions options;
    private final int owner;

    PageAdmission(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            PinLedger ledger,
            SlotCounters counters,
            ClockSweep sweep,
            PoolOptions options,
            int owner) {
        this.segment = segment;
        this.descriptors = descriptors;
        this.table = table;
        this.ledger = ledger;
        this.counters = counters;
        this.sweep = sweep;
        this.options = options;
        this.owner = owner;
    }

    /** Gives a victim the tag and fills it: its number, pinned once; {@link PageFinder#MISS} if somebody else was faster. */
    long admit(int space, long block, long hash, BlockLoader loader) throws IOException {
        long number = sweep.takeVictim();
        long at = segment.descriptor(number);
        long claimed = descriptors.state(at);
        long loading = StateWord.bump(StateWord.of(StateWord.LOADING, owner, StateWord.version(claimed)));
        // Its tag may be written only after this: another session may steal a CLAIMED buffer.
        if (!StateWord.is(claimed, StateWord.CLAIMED, owner) || !descriptors.compareAndSet(at, claimed, loading)) {
            return PageFinder.MISS;
        }
        if (CrashPoint.ARMED) {
            CrashPoint.LOADING_SET.reached();
        }
        descriptors.setTag(at, space, block);
        if (CrashPoint.ARMED) {
            CrashPoint.TAG_WRITTEN.reached();
        }
        if (!insert(space, block, hash, number, at)) {
            return PageFinder.MISS;
        }
        if (CrashPoint.ARMED) {
            CrashPoint.BLOCK_INSERTED.reached();
        }
        counters.add(PoolCounter.MISSES, segment.counterGroup(number));
        var departure = sweep.recall(hash);
        load(block, hash, number, at, loader);
        if (CrashPoint.ARMED) {
            CrashPoint.BLOCK_LOADED.reached();
        }
        // The pin before VALID, so that no sweeper takes the page in between.
        ledger.publish(number);
        if (CrashPoint.ARMED) {
            CrashPoint.LOAD_PINNED.reached();
        }
        int usageCount = departure == GhostTable.Departure.FROM_PROBATION ? 1 : 0;
        descriptors.mustMoveOn(
                at,
                StateWord.LOADING,
                owner,
                StateWord.withUsageCount(StateWord.of(StateWord.VALID, 0, 0), usageCount));
        if (departure == GhostTable.Departure.UNKNOWN) {
            sweep.onProbation(number, StateWord.version(loading));
        }
        if (CrashPoint.ARMED) {
            CrashPoint.LOAD_VALID.reached();
        }
        return number;
    }

    private boolean insert(int space, long block, long hash, long number, long at) {
        LookupTable.Insertion insertion = null;
        try {
            insertion = table.insertIfAbsent(hash, space, block, number, owner, options.lockWaitNanos());
        } finally {
            if (insertion == LookupTable.Insertion.PRESENT) {
                descriptors.mustMoveOn(at, StateWord.LOADING, owner, StateWord.of(StateWord.CLAIMED, owner, 0));
                sweep.keep(number);
            } else if (insertion != LookupTable.Insertion.INSERTED) {
                free(at);
            }
        }
        if (insertion == LookupTable.Insertion.FULL) {
            throw new PoolException.LookupTableFull("block " + block + " of space " + space + " found no place in "
                    + LookupTable.PROBE_MAX
                    + " buckets of the lookup table: too many of its neighbours are in the pool."
                    + " Read it without the pool, or try again later");
        }
        return insertion == LookupTable.Insertion.INSERTED;
    }

    private void load(long block, long hash, long number, long at, BlockLoader loader) throws IOException {
        boolean loaded = false;
        try {
            loader.load(segment.buffers.asSlice(segment.bufferOffset(number), segment.bufferBytes), block);
            // A loader that pins pages itself may have used up the entry this pin needs.
            ledger.reserve();
            loaded = true;
        } finally {
            if (!loaded) {
                counters.add(PoolCounter.LOAD_FAILURES, segment.counterGroup(number));
                unmapFailed(hash, number, at);
            }
        }
    }

    private void unmapFailed(long hash, long number, long at) {
        boolean removed = false;
        try {
            removed = table.remove(hash, number, owner, options.lockWaitNanos());
        } finally {
            if (!removed) {
                // The entry had to stay: without a tag nobody takes it for the block's.
                descriptors.setTag(at, 0, 0);
            }
            free(at);
            if (CrashPoint.ARMED) {
                CrashPoint.LOAD_FAILED.reached();
            }
        }
    }

    private void free(long at) {
        descriptors.mustMoveOn(at, StateWord.LOADING, owner, StateWord.of(StateWord.FREE, 0, 0));
    }
}
