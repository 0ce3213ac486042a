package io.numabufferpool.pool;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Writes a block to its space. */
@FunctionalInterface
public interface BlockSink {
    /**
     * Writes all bytes of {@code source} as block {@code block}, after making the log durable up to {@code logPosition}.
     *
     * @param source a copy of the page that nobody changes, bufferBytes long
     * @param logPosition what {@link PoolSession#unlockExclusive} was given; 0: nothing has to be in the log
     * @throws IOException if it cannot; then the page stays dirty
     */
    void write(MemorySegment source, long block, long logPosition) throws IOException;
}
