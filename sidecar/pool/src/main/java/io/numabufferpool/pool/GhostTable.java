package io.numabufferpool.pool;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which blocks left the pool lately, and from where: what comes back soon was evicted too early. One for all sessions of a
 * process, in its heap, advisory: sessions race in it, an entry may be lost, and one block in 2^18 is taken for another.
 */
final class GhostTable {
    /** How a block left the pool, if it left it lately. */
    enum Departure {
        UNKNOWN,
        /** Before it was used a second time, at most as many evictions ago as there are buffers. */
        FROM_PROBATION,
        /** The hand found it unused, at most a tenth as many evictions ago. */
        FROM_CLOCK
    }

    /** 4 MiB of heap; a pool with more buffers remembers a shorter past. */
    static final int ENTRIES_MAX = 1 << 20;

    private static final int BUCKET_ENTRIES = 4;
    /** Of bits 0..10: when, in steps of a 256th of all buffers. */
    private static final int TIME_MASK = 0x7FF;

    private static final int TICKS_IN_FULL = 256;
    private static final int TICKS_AFTER_CLOCK = TICKS_IN_FULL / 10;
    private static final int FROM_CLOCK_BIT = 1 << 11;
    private static final int FINGERPRINT_SHIFT = 12;

    private final AtomicIntegerArray entries;
    private final long bucketMask;
    private final long evictionsInTick;
    private final AtomicLong evictions = new AtomicLong();

    GhostTable(long bufferCount) {
        int count = Math.clamp(2 * Long.highestOneBit(Math.max(1, bufferCount - 1)), BUCKET_ENTRIES, ENTRIES_MAX);
        this.entries = new AtomicIntegerArray(count);
        this.bucketMask = (long) count / BUCKET_ENTRIES - 1;
        this.evictionsInTick = Math.max(1, Math.min(bufferCount, count) / TICKS_IN_FULL);
    }

    /** The block with that hash leaves the pool. */
    void remember(long hash, Departure departure) {
        int now = time(evictions.incrementAndGet());
        int bucket = bucket(hash);
        int oldest = bucket;
        int oldestAge = -1;
        for (int i = bucket; i < bucket + BUCKET_ENTRIES; i++) {
            int entry = entries.getOpaque(i);
            int age = entry == 0 ? TIME_MASK + 1 : age(entry, now);
            if (age > oldestAge) {
                oldest = i;
                oldestAge = age;
            }
        }
        entries.setOpaque(oldest, fingerprint(hash) | (departure == Departure.FROM_CLOCK ? FROM_CLOCK_BIT : 0) | now);
    }

    /** How the block with that hash left; asked once it is forgotten. */
    Departure recall(long hash) {
        int now = time(evictions.get());
        int bucket = bucket(hash);
        for (int i = bucket; i < bucket + BUCKET_ENTRIES; i++) {
            int entry = entries.getOpaque(i);
            if (entry != 0 && (entry & -1 << FINGERPRINT_SHIFT) == fingerprint(hash)) {
                entries.setOpaque(i, 0);
                boolean fromClock = (entry & FROM_CLOCK_BIT) != 0;
                if (age(entry, now) > (fromClock ? TICKS_AFTER_CLOCK : TICKS_IN_FULL)) {
                    return Departure.UNKNOWN;
                }
                return fromClock ? Departure.FROM_CLOCK : Departure.FROM_PROBATION;
            }
        }
        return Departure.UNKNOWN;
    }

    private int bucket(long hash) {
        return (int) (hash & bucketMask) * BUCKET_ENTRIES;
    }

    /** 20 bits of the hash that do not choose the bucket; never 0. */
    private static int fingerprint(long hash) {
        int bits = (int) (hash >>> 32) & -1 << FINGERPRINT_SHIFT;
        return bits == 0 ? 1 << FINGERPRINT_SHIFT : bits;
    }

    private int time(long evictionCount) {
        return (int) (evictionCount / evictionsInTick) & TIME_MASK;
    }

    private static int age(int entry, int now) {
        return (now - entry) & TIME_MASK;
    }
}
