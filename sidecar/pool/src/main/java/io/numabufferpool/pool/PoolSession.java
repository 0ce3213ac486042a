package io.numabufferpool.pool;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A slot leased by this process: what pins and reads. For one thread at a time; handing it to another thread needs a
 * happens-before edge (a lock, a queue). A handle belongs to its session.
 */
public final class PoolSession implements AutoCloseable {
    PoolSession() {}

    /**
     * Pins a block, reading it if it is not in the pool.
     *
     * @return a handle, never 0, to give back with {@link #unpin}; the same page pinned twice has to be unpinned twice
     * @throws IOException what the loader threw
     * @throws PoolException.NoVictim if every buffer is pinned, after a bounded wait
     */
    public long pin(int space, long block, BlockLoader loader) throws IOException {
        return unavailable() ? 0 : 1L;
    }

    /** Pins a block if it is in the pool; 0 if not. */
    public long tryPin(int space, long block) {
        return unavailable() ? 0 : 1L;
    }

    /** The pinned page, read-only, bufferBytes long. Must not be used after the unpin. */
    public MemorySegment memory(long handle) {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** Gives a pin back. @throws IllegalStateException if this session does not hold it */
    public void unpin(long handle) {
        unavailable();
    }

    /** Copies bytes of a block, from {@code offsetBytes} in it, as many as {@code target} has; leaves nothing pinned. */
    public void read(int space, long block, long offsetBytes, MemorySegment target, BlockLoader loader)
            throws IOException {
        unavailable();
    }

    /** The NUMA node of a pinned page; -1: no single node, or memory of the session. */
    public int numaNode(long handle) {
        return unavailable() ? 0 : 1;
    }

    /** Gives back the slot. @throws IllegalStateException if pages are still pinned; the slot is given back all the same */
    @Override
    public void close() {
        unavailable();
    }

    private static boolean unavailable() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        return true;
    }

    private static UnsupportedOperationException unavailableException() {
        return new UnsupportedOperationException("signatures first; the protocol follows");
    }
}
