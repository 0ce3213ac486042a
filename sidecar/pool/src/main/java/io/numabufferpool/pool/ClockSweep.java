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
 * <p>A page is admitted with usageCount 0, on probation (docs/adr/0008): once a tenth of the buffers came after it, it is a
 * victim if it was not used again, and one of the clock's pages if it was. What was evicted a short time ago and comes back
 * is not put on probation again.
 *
 * <p>Where probation has no victim, a step advances a partition's hand by a batch. What could go is given to
 * {@link EvictionBatch}; what that takes is CLAIMED by this session's slot: its victims for the next misses.
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

    /** One buffer in so many is on probation, of all sessions together: what S3-FIFO's authors measured as best. */
    private static final int PROBATION_SHARE = 10;

    /** The hand takes a page that was used often for one that was used twice: the past is forgotten within two turns. */
    private static final int SWEPT_USAGE_MAX = 2;

    /** Refills between two looks at this session's share of all evictions. */
    private static final int SHARE_REFRESH = 16;

    /** A look counts for one part in so many. */
    private static final int SHARE_SMOOTHING = 4;

    /** Turns over everything before it counts as full: enough for the most used buffer, and one. */
    private static final int TURNS_MAX = StateWord.USAGE_COUNT_MAX + 2;

    private static final long PARK_NANOS_MIN = 20_000;
    private static final long PARK_NANOS_MAX = 5_000_000;

    private final Segment segment;
    private final MemorySegment control;
    private final DescriptorTable descriptors;
    private final EvictionBatch evictions;
    private final EvictionBatch.Taken keepTaken = this::keepTaken;
    private final ProbationQueue probation = new ProbationQueue();
    private final GhostTable ghosts;
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

    /** The last step of a hand found FREE buffers: there may be more, so nothing has to go. */
    private boolean filling = true;

    /** How the last victims left: set before the batch that takes them. */
    private GhostTable.Departure departure = GhostTable.Departure.FROM_CLOCK;

    /** Of all evictions since {@link #SHARE_REFRESH} refills ago; 1: alone. */
    private double share;

    /** Taken from that partition in this batch, and not yet in its counter. */
    private long evicted;

    private int evictedFrom;

    private long ownEvictions;
    private long ownEvictionsBefore;
    private long allEvictionsBefore;

    /** Where this session looks for FREE buffers while probation gives it its victims: partition, and index in it. */
    private int freePartition;

    private long freeIndex;

    ClockSweep(
            Segment segment,
            DescriptorTable descriptors,
            LookupTable table,
            SlotTable slots,
            SlotCounters counters,
            GhostTable ghosts,
            PoolOptions options,
            int owner,
            int homeNode) {
        this.segment = segment;
        this.control = segment.control;
        this.descriptors = descriptors;
        this.evictions =
                new EvictionBatch(segment, descriptors, table, slots, counters, options.lockWaitNanos(), owner);
        this.counters = counters;
        this.ghosts = ghosts;
        this.options = options;
        this.owner = owner;
        this.homeNode = homeNode;
        this.freePartition = owner % segment.partitionCount;
        this.allEvictionsBefore = allEvictions();
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

    /**
     * How the block that is about to be admitted left the pool, if it did lately. A page of an unknown block starts with
     * usageCount 0 and {@link #onProbation}, one that was evicted from there with usageCount 1.
     */
    GhostTable.Departure recall(long hash) {
        return ghosts.recall(hash);
    }

    /** A page that was just admitted, by the version of its state word. */
    void onProbation(long number, long version) {
        probation.add(number, version);
        // Before the pool is full nothing is a victim, and what is more than a tenth stays.
        if (probation.size() > probationMax() + BATCH_MAX) {
            probation.poll();
        }
    }

    private long probationMax() {
        return Math.clamp(
                Math.round(segment.bufferCount() * share / PROBATION_SHARE), 1, ProbationQueue.SIZE_MAX - BATCH_MAX);
    }

    private void keepTaken(long number, long hash) {
        ghosts.remember(hash, departure);
        ownEvictions++;
        if (BufferNumber.partition(number) != evictedFrom) {
            countEvictions();
            evictedFrom = BufferNumber.partition(number);
        }
        evicted++;
        keep(number);
    }

    private void countEvictions() {
        if (evicted > 0) {
            var _ = (long) PartitionLayout.EVICTIONS.getAndAdd(control, segment.partitionOffset(evictedFrom), evicted);
            evicted = 0;
        }
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
        if (refills % SHARE_REFRESH == 1) {
            refreshShare();
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
        if (!filling && (takeFree() || endProbation())) {
            return true;
        }
        departure = GhostTable.Departure.FROM_CLOCK;
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

    private void refreshShare() {
        long all = allEvictions();
        long own = ownEvictions - ownEvictionsBefore;
        double now = own == 0 ? 1.0 / evictions.leasedSlots() : (double) own / Math.max(own, all - allEvictionsBefore);
        // A share that jumps would push pages out of the clock: the hand fills up a queue that may be longer.
        share = share == 0 ? now : share + (now - share) / SHARE_SMOOTHING;
        allEvictionsBefore = all;
        ownEvictionsBefore = ownEvictions;
    }

    private long allEvictions() {
        long all = 0;
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            all += (long) PartitionLayout.EVICTIONS.getOpaque(control, segment.partitionOffset(partition));
        }
        return all;
    }

    /** Looks at the next few buffers for FREE ones: some come back into service behind the hands. True if there was one. */
    private boolean takeFree() {
        long count = segment.bufferCount(freePartition);
        if (freeIndex >= count) {
            freePartition = (freePartition + 1) % segment.partitionCount;
            freeIndex = 0;
            return false;
        }
        long end = Math.min(count, freeIndex + BATCH_MAX);
        int most = batch(freePartition, count);
        for (; freeIndex < end && victimCount < most; freeIndex++) {
            long at = segment.descriptorsOffset(freePartition) + freeIndex * BufferDescriptorLayout.BYTES;
            long word = descriptors.stateAcquire(at);
            if (StateWord.phase(word) == StateWord.FREE) {
                takeIf(BufferNumber.of(freePartition, freeIndex), at, word);
            }
        }
        return victimCount > 0;
    }

    /** Decides over the pages that were on probation long enough: a batch of those that were not used again is evicted. */
    private boolean endProbation() {
        int most = batchOf(share);
        // A batch at once, so that one scan of the ledgers is for all: the queue is as long as it should be on average.
        long longest = probationMax() + most / 2;
        if (probation.size() < longest) {
            return false;
        }
        long rest = Math.max(0, longest - most);
        departure = GhostTable.Departure.FROM_PROBATION;
        for (int added = 0; added < most && probation.size() > rest; ) {
            added += addUnlessUsed(probation.poll()) ? 1 : 0;
        }
        harvest();
        return victimCount > 0;
    }

    private boolean addUnlessUsed(long entry) {
        long number = ProbationQueue.number(entry);
        if (!segment.hasBuffer(number)) {
            return false;
        }
        long at = segment.descriptor(number);
        long word = descriptors.stateAcquire(at);
        return StateWord.phase(word) == StateWord.VALID
                && ProbationQueue.isVersion(entry, StateWord.version(word))
                && StateWord.usageCount(word) == 0
                && EvictionBatch.mayGo(word)
                && evictions.add(number, at, word);
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
            filling = collect(partition, count, batch);
            harvest();
        }
        return victimCount > 0;
    }

    /**
     * What this session may hold back: its share of the sweeping since it last moved this hand, of what all together may. So a
     * lone worker has full batches however many slots are leased by sessions that do nothing, and 1024 busy ones keep little.
     */
    private int batch(int partition, long bufferCount) {
        int last = lastBatches[partition];
        if (last == 0) {
            return (int) Math.min(batchOf(1.0 / evictions.leasedSlots()), Math.max(1, bufferCount));
        }
        long moved = (long) PartitionLayout.HAND.getOpaque(control, segment.partitionOffset(partition))
                - lastHands[partition];
        return (int) Math.min(batchOf((double) last / Math.max(last, last + moved)), Math.max(1, bufferCount));
    }

    private int batchOf(double shareOfAll) {
        return Math.clamp((long) (segment.bufferCount() * shareOfAll / RESERVE_SHARE), 1, BATCH_MAX);
    }

    /**
     * Advances the hand by a batch; what is FREE is taken, what could go is EVICTING afterwards, unless there was something
     * FREE: the hand comes round to it again when the pool is full. True if there was.
     */
    private boolean collect(int partition, long count, int batch) {
        long hand = (long) PartitionLayout.HAND.getAndAdd(control, segment.partitionOffset(partition), (long) batch);
        lastHands[partition] = hand + batch;
        lastBatches[partition] = batch;
        long index = Long.remainderUnsigned(hand, count);
        int before = victimCount;
        for (int i = 0; i < batch; i++) {
            examine(
                    BufferNumber.of(partition, index),
                    segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES,
                    victimCount > before);
            index = index + 1 == count ? 0 : index + 1;
        }
        return victimCount > before;
    }

    private void examine(long number, long at, boolean onlyFree) {
        long word = descriptors.stateAcquire(at);
        switch (StateWord.phase(word)) {
            case StateWord.FREE -> takeIf(number, at, word);
            case StateWord.VALID -> {
                if (onlyFree || !EvictionBatch.mayGo(word)) {
                    return;
                }
                int usageCount = StateWord.usageCount(word);
                if (usageCount > 0) {
                    // Losing this race means that somebody just used it: no reason to repeat.
                    descriptors.compareAndSet(
                            at, word, StateWord.withUsageCount(word, Math.min(usageCount, SWEPT_USAGE_MAX) - 1));
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
    private void harvest() {
        try {
            evictions.settle(keepTaken);
        } finally {
            countEvictions();
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
