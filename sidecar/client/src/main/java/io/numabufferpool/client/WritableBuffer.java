package io.numabufferpool.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A block that this session has to itself, to change it. For the thread that uses its session. Others that want to read it under a lock
 * wait until it is closed; copies and plain pins are never shown half of it as good.
 *
 * <pre>{@code
 * try (var block = session.pinForWriting(space, 42)) {
 *     block.bytes().set(ValueLayout.JAVA_LONG, 0, 7);
 *     block.markDirty();
 * }
 * }</pre>
 *
 * <p>Without {@link #markDirty} the close takes the change back, so an exception on the way leaves no half of it.
 */
public final class WritableBuffer implements AutoCloseable {
    private static final long UNPINNED = 0;

    private final PoolSession session;
    private final io.numabufferpool.pool.PoolSession slot;
    private final WritablePoolSpace space;
    private final int bytes;
    private long handle;
    private boolean dirty;
    private long logPosition;
    private @Nullable MemorySegment before;

    WritableBuffer(
            PoolSession session,
            io.numabufferpool.pool.PoolSession slot,
            WritablePoolSpace space,
            long handle,
            int bytes) {
        this.session = session;
        this.slot = slot;
        this.space = space;
        this.handle = handle;
        this.bytes = bytes;
    }

    /** The block's bytes, to read and to write: as many as {@link PoolSpace#blockBytes} says. */
    public MemorySegment bytes() {
        var page = slot.writableMemory(locked());
        if (before == null && !dirty) {
            before = MemorySegment.ofArray(page.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
        }
        return page.byteSize() == bytes ? page : page.asSlice(0, bytes);
    }

    /** Keeps the change. Called before {@link #bytes}, it saves the copy that a change is taken back with. */
    public void markDirty() {
        markDirty(0);
    }

    /**
     * Keeps the change, which the log describes up to {@code position}: the page is not written to its file before the log is durable
     * up to there.
     *
     * @param position of the application's choosing, ascending; 0: the log has nothing of it
     */
    public void markDirty(long position) {
        locked();
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " of the log must be 0 or higher");
        }
        dirty = true;
        logPosition = Math.max(logPosition, position);
    }

    private long locked() {
        if (handle == UNPINNED) {
            throw new IllegalStateException("This buffer was closed, so its bytes may be another block's by now.");
        }
        return handle;
    }

    /**
     * Ends the change: others see it, and in a write-through space the file has it. The second time it does nothing.
     *
     * @throws IOException if it cannot be written; it is in the pool all the same, and {@link PoolSession#flush} tries again
     */
    @Override
    public void close() throws IOException {
        long pinned = handle;
        if (pinned == UNPINNED) {
            return;
        }
        handle = UNPINNED;
        try {
            if (dirty) {
                slot.unlockExclusiveDirty(pinned, logPosition);
                space.file().changed(slot, pinned);
            } else {
                takeBack(pinned);
                slot.unlockExclusive(pinned);
            }
        } finally {
            slot.unpin(pinned);
            Reference.reachabilityFence(session);
        }
    }

    private void takeBack(long pinned) {
        var original = before;
        if (original != null) {
            slot.writableMemory(pinned).copyFrom(original);
        }
    }
}
