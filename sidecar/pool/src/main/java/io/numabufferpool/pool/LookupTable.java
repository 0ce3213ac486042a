package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * From a tag to the buffer that holds it. Thread-safe; readers take no lock.
 *
 * <p>A key has a home bucket. Inserting and removing it happens under the lock of its home bucket, wherever its entry
 * lies, so nobody else inserts the same key meanwhile. A full home bucket sends the entry to one of the next buckets; its
 * {@code reach} says how far a reader has to look. Reach is raised before the entry appears and worked out again when the
 * furthest entry goes, so nothing builds up; a death in between leaves it too high, never too low. Entries never move.
 */
final class LookupTable {
    /**
     * Buckets a key may lie in. At a load factor of one half a run of so many full buckets does not happen by chance
     * (a bucket is full once in 37); it bounds what a reader has to look at.
     */
    static final int PROBE_MAX = 16;

    /** A lock protects some 20 memory accesses: spin so long before giving up the CPU to a holder that lost his. */
    private static final int LOCK_SPINS = 200;

    private static final long LOCK_PARK_NANOS = 50_000;

    /** What insertion found. */
    enum Insertion {
        INSERTED,
        PRESENT,
        FULL
    }

    private final MemorySegment control;
    private final Segment segment;
    private final DescriptorTable descriptors;
    private final IntFunction<String> holderName;
    private final int probeCount;

    /** @param holderName names the holder of a lock for a message */
    LookupTable(Segment segment, DescriptorTable descriptors, IntFunction<String> holderName) {
        this.control = segment.control;
        this.segment = segment;
        this.descriptors = descriptors;
        this.holderName = holderName;
        this.probeCount = (int) Math.min(PROBE_MAX, segment.bucketCount);
    }

    /** 64 well mixed bits (the finalizer of MurmurHash3): the high ones choose the bucket, the low 16 are the fingerprint. */
    static long hash(int space, long block) {
        long h = block * 0x9E37_79B9_7F4A_7C15L + space * 0xC2B2_AE3D_27D4_EB4FL;
        h = (h ^ (h >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
        h = (h ^ (h >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
        return h ^ (h >>> 33);
    }

    static int fingerprint(long hash) {
        return (int) (hash & 0xFFFF);
    }

    /** Index of the home bucket: no division, no power of two. */
    long home(long hash) {
        return Math.unsignedMultiplyHigh(hash, segment.bucketCount);
    }

    /** Where the bucket lies that is {@code distance} after a home bucket. */
    long bucketOffset(long home, int distance) {
        long index = home + distance;
        return segment.bucketsOffset
                + (index < segment.bucketCount ? index : index - segment.bucketCount) * LookupBucketLayout.BYTES;
    }

    /** How many buckets after the home bucket may hold its keys. */
    int reach(long homeOffset) {
        int reach = (int) LookupBucketLayout.REACH.getAcquire(control, homeOffset);
        if (reach < 0 || reach >= probeCount) {
            throw new PoolException.CorruptSegment("bucket at " + homeOffset + " of the lookup table has reach " + reach
                    + ", must be below " + probeCount + ": the control file was overwritten; restart the pod");
        }
        return reach;
    }

    /** Entry 0..6 of a bucket; 0 where empty. */
    long entry(long bucketOffset, int index) {
        return (long) LookupBucketLayout.ENTRY.getAcquire(control, entryOffset(bucketOffset, index));
    }

    private static long entryOffset(long bucketOffset, int index) {
        return bucketOffset + LookupBucketLayout.ENTRIES_OFFSET + (long) index * Long.BYTES;
    }

    /** Makes the buffer findable unless the tag has a buffer already, in whatever phase. */
    Insertion insertIfAbsent(long hash, int space, long block, long number, int owner, long waitNanos) {
        long home = home(hash);
        long homeOffset = bucketOffset(home, 0);
        lock(homeOffset, owner, waitNanos);
        try {
            int reach = reach(homeOffset);
            for (int distance = 0; distance <= reach; distance++) {
                if (holdsTag(bucketOffset(home, distance), hash, space, block)) {
                    return Insertion.PRESENT;
                }
            }
            return place(home, reach, LookupBucketLayout.entry(fingerprint(hash), number));
        } finally {
            unlock(homeOffset);
        }
    }

    /** Tags, not fingerprints: two blocks may share a fingerprint. */
    private boolean holdsTag(long bucketOffset, long hash, int space, long block) {
        for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
            long entry = entry(bucketOffset, i);
            if (entry != 0
                    && LookupBucketLayout.fingerprint(entry) == fingerprint(hash)
                    && descriptors.tagIs(segment.descriptor(entry & BufferNumber.MASK), space, block)) {
                return true;
            }
        }
        return false;
    }

    private Insertion place(long home, int reach, long entry) {
        for (int distance = 0; distance < probeCount; distance++) {
            long bucket = bucketOffset(home, distance);
            for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                if (entry(bucket, i) != 0) {
                    continue;
                }
                if (distance > reach) {
                    LookupBucketLayout.REACH.setRelease(control, bucketOffset(home, 0), distance);
                }
                // Keys of other home buckets come here under other locks.
                if (LookupBucketLayout.ENTRY.compareAndSet(control, entryOffset(bucket, i), 0L, entry)) {
                    if (CrashPoint.ARMED) {
                        CrashPoint.ENTRY_INSERTED.reached();
                    }
                    return Insertion.INSERTED;
                }
            }
        }
        return Insertion.FULL;
    }

    /** Removes the entry of this tag if it maps this buffer; false if there was none. */
    boolean remove(long hash, long number, int owner, long waitNanos) {
        long home = home(hash);
        long homeOffset = bucketOffset(home, 0);
        long wanted = LookupBucketLayout.entry(fingerprint(hash), number);
        lock(homeOffset, owner, waitNanos);
        try {
            int reach = reach(homeOffset);
            for (int distance = 0; distance <= reach; distance++) {
                long bucket = bucketOffset(home, distance);
                for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                    if (entry(bucket, i) == wanted) {
                        LookupBucketLayout.ENTRY.setRelease(control, entryOffset(bucket, i), 0L);
                        if (CrashPoint.ARMED) {
                            CrashPoint.ENTRY_REMOVED.reached();
                        }
                        if (reach > 0 && distance == reach) {
                            shrinkReach(home, reach);
                        }
                        return true;
                    }
                }
            }
            return false;
        } finally {
            unlock(homeOffset);
        }
    }

    /**
     * Under the lock the tags of this bucket's own keys cannot change, because their removal needs the lock; a stranger's
     * tag may, and can only make the result too high.
     */
    private void shrinkReach(long home, int reach) {
        int furthest = reach;
        while (furthest > 0 && !holdsKeyOf(home, bucketOffset(home, furthest))) {
            furthest--;
        }
        LookupBucketLayout.REACH.setRelease(control, bucketOffset(home, 0), furthest);
    }

    private boolean holdsKeyOf(long home, long bucketOffset) {
        for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
            long entry = entry(bucketOffset, i);
            if (entry == 0) {
                continue;
            }
            long at = segment.descriptor(entry & BufferNumber.MASK);
            if (home(hash(descriptors.space(at), descriptors.block(at))) == home) {
                return true;
            }
        }
        return false;
    }

    private void lock(long homeOffset, int owner, long waitNanos) {
        for (int spin = 0; spin < LOCK_SPINS; spin++) {
            if (LookupBucketLayout.LOCK.compareAndSet(control, homeOffset, 0, owner)) {
                if (CrashPoint.ARMED) {
                    CrashPoint.BUCKET_LOCKED.reached();
                }
                return;
            }
            Thread.onSpinWait();
        }
        long deadline = System.nanoTime() + waitNanos;
        while (!LookupBucketLayout.LOCK.compareAndSet(control, homeOffset, 0, owner)) {
            if (System.nanoTime() - deadline > 0) {
                int holder = (int) LookupBucketLayout.LOCK.getAcquire(control, homeOffset);
                throw new PoolException.Stuck("a bucket of the lookup table has been locked by "
                        + holderName.apply(holder) + " for " + waitNanos / 1_000_000
                        + " ms; continue that process if it"
                        + " is stopped, or end it: the sidecar frees what it held");
            }
            LockSupport.parkNanos(LOCK_PARK_NANOS);
        }
    }

    private void unlock(long homeOffset) {
        LookupBucketLayout.LOCK.setRelease(control, homeOffset, 0);
        if (CrashPoint.ARMED) {
            CrashPoint.BUCKET_UNLOCKED.reached();
        }
    }

    /** Frees the lock of one bucket if that owner holds it. For the reaper. */
    boolean breakLock(long bucket, int owner) {
        return LookupBucketLayout.LOCK.compareAndSet(control, bucketOffset(bucket, 0), owner, 0);
    }

    /** Who holds the lock of a bucket: slot index + 1, {@link LookupBucketLayout#REAPER}, or 0. */
    int lockOwner(long bucket) {
        return (int) LookupBucketLayout.LOCK.getAcquire(control, bucketOffset(bucket, 0));
    }
}
