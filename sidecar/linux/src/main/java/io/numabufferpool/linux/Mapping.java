package io.numabufferpool.linux;

import java.lang.foreign.MemorySegment;

/** A MAP_SHARED mapping. After close() any access through {@link #memory()} throws instead of reading a stranger's page. */
public interface Mapping extends AutoCloseable {
    /** The whole mapping; bounds are checked, any thread may use it. */
    MemorySegment memory();

    /** munmap(2). */
    @Override
    void close();
}
