package io.numabufferpool.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Where the blocks of a space come from. Thread-safe. */
interface SpaceContent {
    Path path();

    /** Length in bytes, as far as this process knows. */
    long bytes();

    /** The same after a look, where it may grow. */
    long refreshBytes();

    /** Under which the pool knows the content now. */
    int number() throws SpaceChanged;

    /** Looks whether it is what it was when it was opened. */
    void checkUnchanged() throws IOException;

    /** Fills {@code target} with that block of the content with that number, zero beyond the end. */
    void load(MemorySegment target, long block, int number) throws IOException;

    /** Closes it, whatever is left to do. */
    void abandon();
}
