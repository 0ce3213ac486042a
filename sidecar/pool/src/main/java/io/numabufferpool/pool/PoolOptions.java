package io.numabufferpool.pool;

import java.util.function.IntSupplier;

/**
 * How one process uses the pool. Every wait is bounded, because the one who should end it may have died in between.
 *
 * @param currentNumaNode the NUMA node of the calling thread's CPU, or -1 where unknown; asked once in 128 admissions
 * @param loadWaitNanos longest wait for another session's load of the same block, then {@link PoolException.Stuck}
 * @param lockWaitNanos longest wait for a lock that is held for some 20 memory accesses, then {@link PoolException.Stuck}
 * @param victimWaitNanos longest wait for a buffer that can be evicted, then {@link PoolException.NoVictim}
 * @param slotWaitNanos longest wait for a free slot, then {@link PoolException.NoFreeSlot}
 */
public record PoolOptions(
        IntSupplier currentNumaNode, long loadWaitNanos, long lockWaitNanos, long victimWaitNanos, long slotWaitNanos) {
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** A minute for storage that hangs, 10 s for locks and victims, 5 s for slots; no NUMA node preferred. */
    public static PoolOptions defaults() {
        return new PoolOptions(() -> -1, 60 * SECOND_NANOS, 10 * SECOND_NANOS, 10 * SECOND_NANOS, 5 * SECOND_NANOS);
    }

    public PoolOptions withCurrentNumaNode(IntSupplier supplier) {
        return new PoolOptions(supplier, loadWaitNanos, lockWaitNanos, victimWaitNanos, slotWaitNanos);
    }
}
