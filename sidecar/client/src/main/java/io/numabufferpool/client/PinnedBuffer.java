package io.numabufferpool.client;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** A pinned block. For the thread that uses its session. Its bytes are the pool's own memory: use nothing of them after close(). */
public final class PinnedBuffer implements AutoCloseable {
    /** No handle of the pool is 0. */
    private static final long UNPINNED = 0;

    private final PoolSession session;
    private final io.numabufferpool.pool.PoolSession slot;
    private final int bytes;
    private final boolean loaded;
    private final boolean shared;
    private long handle;

    /** {@code shared}: locked for reading, until it is closed. */
    PinnedBuffer(
            PoolSession session,
            io.numabufferpool.pool.PoolSession slot,
            long handle,
            int bytes,
            boolean loaded,
            boolean shared) {
        this.shared = shared;
        this.session = session;
        this.slot = slot;
        this.handle = handle;
        this.bytes = bytes;
        this.loaded = loaded;
    }

    /** The block's bytes, read-only: as many as {@link PoolSpace#blockBytes} says. */
    public MemorySegment bytes() {
        var page = slot.memory(pinned());
        return page.byteSize() == bytes ? page : page.asSlice(0, bytes);
    }

    /** The NUMA node these bytes lie on; -1 where they lie on no single one, or in memory of this process (a ReadOnly client's miss). */
    public int numaNode() {
        return slot.numaNode(pinned());
    }

    /** True if this pin read the block from the file; false if it found it in the pool. */
    public boolean loaded() {
        return loaded;
    }

    private long pinned() {
        if (handle == UNPINNED) {
            throw new IllegalStateException("This buffer was closed, so its bytes may be another block's by now.");
        }
        return handle;
    }

    /** Unpins. The second time it does nothing. */
    @Override
    public void close() {
        long pinned = handle;
        if (pinned == UNPINNED) {
            return;
        }
        handle = UNPINNED;
        try {
            if (shared) {
                slot.unlockShared(pinned);
            }
            slot.unpin(pinned);
        } finally {
            Reference.reachabilityFence(session);
        }
    }
}
