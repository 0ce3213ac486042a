package io.numabufferpool.pool;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Reads one block of a space when it is not in the pool. Called by the thread that asked for it, once per miss. */
@FunctionalInterface
public interface BlockLoader {
    /**
     * Fills {@code target} completely: what the file does not reach must be set to zero, because the buffer holds an
     * evicted page. Whatever is thrown frees the buffer, wakes those who wait for the block, and reaches the caller.
     *
     * @param target exactly one buffer, native memory; valid during the call only
     * @param block 0-based number in units of bufferBytes
     */
    void load(MemorySegment target, long block) throws IOException;
}
