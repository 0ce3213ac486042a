package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.StateWord;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds victims for one session. Not thread-safe; sessions meet in the hands and the state words.
 *
 * <p>A step advances a partition's hand by a batch and gives what could go to {@link EvictionBatch}; what that takes is
 * CLAIMED by this session's slot: its victims for the next misses.
 *
 * <p>Which partition: all hands keep to the same turn. A session sweeps its own NUMA node's partitions while none of them
 * is a turn ahead of the slowest, else the slowest; so one clock's order holds over the whole pool (a lone worker uses all
 * of it), and busy nodes still evict at home.
 */
final class ClockSweep {
    static final int BATCH_MAX = EvictionBatch.SIZE_MAX;

    /** All sessions together hold back at most one buffer in this many as victims for their next misses. */
    private static final int RESERVE_SHARE = 16;

    /** The current CPU's node is looked up once in so many refills: threads move rarely, the look-up is not free. */
    private static final int NODE_REFRESH = 128;

    /** Turns over everything before it counts as full: enough for the most used buffer, and one. */
    private static final int TURNS_MAX = StateWord.USAGE_COUNT_MAX + 2;

    private static final long PARK_NANOS_MIN = 20_000;
    private static final long PARK_NANOS_MAX = 5_000_000;

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final EvictionBatch evictions;
    private final EvictionBatch.Taken keepTaken = this::keep;
    private final SlotCounters counters;
    private final PoolOptions options;
    private final int owner;

    private final long[] victims = new long[BATCH_MAX];
    private int victimCount;
    private int homeNode;
    private int refills;

    /** This session's last move of each partition's hand: where the hand stood afterwards, and by how much; 0: never. */
    private final long[] lastHands;

    private final int[] lastBatches;

    ClockSweep(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            SlotTable slots,
            SlotCounters counters,
            PoolOptions options,
            int owner,
            int homeNode) {
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.evictions =
                new EvictionBatch(segment, descriptors, table, slots, counters, options.lockWaitNanos(), owner);
        this.counters = counters;
        this.options = options;
        this.owner = owner;
        this.homeNode = homeNode;
        this.lastHands = new long[segment.partitionCount];
        this.lastBatches = new int[segment.partitionCount];
    }

    /** A buffer that is CLAIMED by this session, unless somebody steals it meanwhile. @throws PoolException.NoVictim */
    long takeVictim() {
        if (victimCount == 0) {
            refill();
        }
        return victims[--victimCount];
    }

    /** Keeps a buffer that is CLAIMED by this session for its next miss. */
    void keep(long number) {
        if (victimCount < BATCH_MAX) {
            victims[victimCount++] = number;
        } else {
            free(number);
        }
    }

    /** Gives all victims back. */
    void close() {
        while (victimCount > 0) {
            free(victims[--victimCount]);
        }
    }

    private void free(long number) {
        descriptors.moveOn(segment.descriptor(number), StateWord.CLAIMED, owner, StateWord.of(StateWord.FREE, 0, 0));
    }

    private void refill() {
        if (++refills % NODE_REFRESH == 0) {
            homeNode = options.currentNumaNode().getAsInt();
        }
        long deadline = 0;
        long park = PARK_NANOS_MIN;
        while (!tryRefill()) {
            long now = System.nanoTime();
            if (deadline == 0) {
                deadline = now + options.victimWaitNanos();
            }
            if (now - deadline >= 0) {
                throw noVictim();
            }
            LockSupport.parkNanos(park);
            park = Math.min(2 * park, PARK_NANOS_MAX);
        }
    }

    private boolean tryRefill() {
        // A wait may have outlasted a move.
        segment.refresh();
        int first = choosePartition();
        if (sweepTurn(first)) {
            return true;
        }
        for (int turn = 0; turn < TURNS_MAX; turn++) {
            for (int i = 0; i < segment.partitionCount; i++) {
                if (sweepTurn((first + i) % segment.partitionCount)) {
                    return true;
                }
            }
        }
        return stealOne();
    }

    /** The home partition that lags most while it is not a turn ahead of the slowest of all; else that one. */
    private int choosePartition() {
        int slowest = -1;
        int home = -1;
        for (int i = 0; i < segment.partitionCount; i++) {
            int partition = (owner + i) % segment.partitionCount;
            if (slowest < 0 || turns(partition) < turns(slowest)) {
                slowest = partition;
            }
            if (segment.partitionNode(partition) == homeNode && (home < 0 || turns(partition) < turns(home))) {
                home = partition;
            }
        }
        return home >= 0 && turns(home) <= turns(slowest) ? home : slowest;
    }

    private long turns(int partition) {
        long count = segment.bufferCount(partition);
        return count == 0
                ? Long.MAX_VALUE
                : (long) PartitionLayout.HAND.getOpaque(control, segment.partitionOffset(partition)) / count;
    }

    /** Sweeps a partition until there is a victim, at most one turn. */
    private boolean sweepTurn(int partition) {
        // Read once: a resize in between may make it 0.
        long count = segment.bufferCount(partition);
        int batch = batch(partition, count);
        for (long ticks = 0; ticks < count && victimCount == 0; ticks += batch) {
            collect(partition, count, batch);
            harvest(partition);
        }
        return victimCount > 0;
    }

    /**
     * What this session may hold back: its share of the sweeping since it last moved this hand, of what all together may. So a
     * lone worker has full batches however many slots are leased by sessions that do nothing, and 1024 busy ones keep little.
     */
    private int batch(int partition, long bufferCount) {
        long all = bufferCount / RESERVE_SHARE;
        int last = lastBatches[partition];
        if (last == 0) {
            long fair = segment.bufferCount() / ((long) RESERVE_SHARE * evictions.leasedSlots());
            return Math.clamp(Math.min(fair, bufferCount), 1, BATCH_MAX);
        }
        long moved = (long) PartitionLayout.HAND.getOpaque(control, segment.partitionOffset(partition))
                - lastHands[partition];
        double share = (double) last / Math.max(last, last + moved);
        return (int) Math.clamp((long) (all * share), 1, Math.min(BATCH_MAX, bufferCount));
    }

    /** Advances the hand by a batch; what is FREE is taken, what could go is EVICTING afterwards. */
    private void collect(int partition, long count, int batch) {
        long hand = (long) PartitionLayout.HAND.getAndAdd(control, segment.partitionOffset(partition), (long) batch);
        lastHands[partition] = hand + batch;
        lastBatches[partition] = batch;
        long index = Long.remainderUnsigned(hand, count);
        for (int i = 0; i < batch; i++) {
            examine(
                    BufferNumber.of(partition, index),
                    segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES);
            index = index + 1 == count ? 0 : index + 1;
        }
    }

    private void examine(long number, long at) {
        long word = descriptors.stateAcquire(at);
        switch (StateWord.phase(word)) {
            case StateWord.FREE -> takeIf(number, at, word);
            case StateWord.VALID -> {
                if (!EvictionBatch.mayGo(word)) {
                    return;
                }
                if (StateWord.usageCount(word) > 0) {
                    // Losing this race means that somebody just used it: no reason to repeat.
                    descriptors.compareAndSet(at, word, word - StateWord.USAGE_ONE);
                } else {
                    evictions.add(number, at, word);
                }
            }
            default -> {
                // Somebody else is at work on it.
            }
        }
    }

    private boolean takeIf(long number, long at, long word) {
        long claimed = StateWord.of(StateWord.CLAIMED, owner, StateWord.version(word));
        boolean taken = victimCount < BATCH_MAX && descriptors.compareAndSet(at, word, claimed);
        if (taken) {
            if (CrashPoint.ARMED) {
                CrashPoint.FREE_CLAIMED.reached();
            }
            victims[victimCount++] = number;
        }
        return taken;
    }

    /** Pinned candidates go back, the others become victims. */
    private void harvest(int partition) {
        int evicted = evictions.settle(keepTaken);
        if (evicted > 0) {
            var _ = (long)
                    PartitionLayout.EVICTIONS.getAndAdd(control, segment.partitionOffset(partition), (long) evicted);
        }
    }

    /** The last resort: a free buffer anywhere, or one that another session keeps for its next miss. */
    private boolean stealOne() {
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            for (long index = 0; index < segment.bufferCount(partition); index++) {
                long at = segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES;
                long word = descriptors.stateAcquire(at);
                int phase = StateWord.phase(word);
                long number = BufferNumber.of(partition, index);
                if ((phase == StateWord.FREE || phase == StateWord.CLAIMED) && takeIf(number, at, word)) {
                    if (phase == StateWord.CLAIMED) {
                        counters.add(PoolCounter.STEALS, segment.counterGroup(number));
                    }
                    return true;
                }
            }
        }
        return false;
    }

    private PoolException.NoVictim noVictim() {
        var phases = new long[(int) StateWord.PHASE_MASK + 1];
        long unready = 0;
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            for (long index = 0; index < segment.bufferCount(partition); index++) {
                long word = descriptors.stateAcquire(
                        segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES);
                phases[StateWord.phase(word)]++;
                unready += StateWord.phase(word) == StateWord.VALID && !EvictionBatch.mayGo(word) ? 1 : 0;
            }
        }
        return new PoolException.NoVictim("no buffer could be evicted in "
                + options.victimWaitNanos() / 1_000_000 + " ms: of " + segment.bufferCount() + " buffers "
                + phases[StateWord.VALID] + " hold pages that are pinned or in use (" + unready + " dirty or being"
                + " written), " + phases[StateWord.LOADING]
                + " are being loaded, "
                + phases[StateWord.RETIRED]
                + " are out of service while their memory moves. Unpin pages sooner, or raise"
                + " spec.size");
    }
}
