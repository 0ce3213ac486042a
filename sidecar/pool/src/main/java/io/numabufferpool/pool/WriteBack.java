package io.numabufferpool.pool;

import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes dirty pages to their space, for one session. Not thread-safe.
 *
 * <p>What is written is a copy, taken between two looks at the version, so that writers need not wait for the storage. Two of
 * these at once could end with the older copy in the file; the flusher lock in the descriptor keeps them apart. DIRTY goes only if
 * the version is still the copy's: no change is ever taken for a written one.
 */
final class WriteBack {
    private static final long PARK_NANOS = 50_000;

    private final Segment segment;
    private final DescriptorTable descriptors;
    private final SlotTable slots;
    private final BufferWait wait;
    private final PoolOptions options;
    private final int owner;
    private @Nullable MemorySegment copy;

    WriteBack(BufferPool pool, BufferWait wait, int owner) {
        this.segment = pool.segment();
        this.descriptors = pool.descriptors();
        this.slots = pool.slots();
        this.options = pool.options();
        this.wait = wait;
        this.owner = owner;
    }

    /**
     * Writes a page that this session has pinned, if it is dirty: afterwards the space has every change that was complete before
     * the call.
     *
     * @return whether it was written
     * @throws PoolException.Torn if its writer died in it
     * @throws PoolException.Stuck if its writer, or who writes it to its space, takes longer than loadWaitNanos
     */
    boolean flush(long number, BlockSink sink) throws IOException {
        long at = segment.descriptor(number);
        long deadline = System.nanoTime() + options.loadWaitNanos();
        lockFlusher(at, number, deadline);
        if (CrashPoint.ARMED) {
            CrashPoint.FLUSHER_SET.reached();
        }
        try {
            return write(at, number, sink, deadline);
        } finally {
            descriptors.clearFlusher(at, owner);
            if (CrashPoint.ARMED) {
                CrashPoint.FLUSHER_CLEARED.reached();
            }
        }
    }

    private void lockFlusher(long at, long number, long deadline) {
        while (!descriptors.setFlusher(at, owner)) {
            if (System.nanoTime() - deadline > 0) {
                throw new PoolException.Stuck("block " + descriptors.block(at) + " of space "
                        + Integer.toUnsignedString(descriptors.space(at)) + " in buffer " + Long.toHexString(number)
                        + " has been written to its file by " + slots.ownerName(descriptors.flusher(at)) + " for "
                        + options.loadWaitNanos() / 1_000_000
                        + " ms; its storage hangs or that process is stopped: continue it, or end it");
            }
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    private boolean write(long at, long number, BlockSink sink, long deadline) throws IOException {
        while (true) {
            long word = descriptors.state(at);
            if (StateWord.has(word, StateWord.WRITING)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new PoolException.Stuck("block " + descriptors.block(at) + " has been changed by "
                            + slots.ownerName(StateWord.owner(word)) + " for " + options.loadWaitNanos() / 1_000_000
                            + " ms; continue that process if it is stopped, or end it");
                }
                wait.sleepWhile(number, word);
                continue;
            }
            if (StateWord.has(word, StateWord.TORN)) {
                throw PoolException.torn(descriptors.space(at), descriptors.block(at));
            }
            if (!StateWord.has(word, StateWord.DIRTY)) {
                return false;
            }
            var bytes = copyOf(number);
            long logPosition = descriptors.logPosition(at);
            VarHandle.acquireFence();
            if (!isVersion(descriptors.state(at), word)) {
                continue;
            }
            sink.write(bytes, descriptors.block(at), logPosition);
            if (CrashPoint.ARMED) {
                CrashPoint.PAGE_WRITTEN.reached();
            }
            clearDirty(at, word);
            return true;
        }
    }

    private MemorySegment copyOf(long number) {
        var target = copy;
        if (target == null) {
            // Aligned for a space that is opened with O_DIRECT.
            target = Arena.ofAuto().allocate(segment.bufferBytes, Math.max(segment.bufferBytes, 4096));
            copy = target;
        }
        MemorySegment.copy(segment.buffers, segment.bufferOffset(number), target, 0, segment.bufferBytes);
        return target.asReadOnly();
    }

    private static boolean isVersion(long word, long copied) {
        return StateWord.version(word) == StateWord.version(copied) && !StateWord.has(word, StateWord.WRITING);
    }

    private void clearDirty(long at, long copied) {
        for (long word = descriptors.state(at); isVersion(word, copied); word = descriptors.state(at)) {
            if (descriptors.compareAndSet(at, word, word & ~StateWord.DIRTY)) {
                if (CrashPoint.ARMED) {
                    CrashPoint.DIRTY_CLEARED.reached();
                }
                return;
            }
        }
    }
}
