package io.numabufferpool.client;

import java.io.IOException;

/** The log of an application whose pages are written back later: what it describes may be written, what it does not may not. */
@FunctionalInterface
public interface WriteAheadLog {
    /**
     * Makes the log durable at least up to {@code position}, the highest that any change of a page was marked with. Called from any
     * thread, before that page is written to its file.
     *
     * @return the position up to which it is durable now, {@code >= position}
     * @throws IOException if it cannot; then the page is not written
     */
    long flushUpTo(long position) throws IOException;
}
