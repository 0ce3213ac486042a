package io.numabufferpool.client;

import java.io.IOException;

/** What an application does to make a space whole after a client died in the middle of its changes. */
@FunctionalInterface
public interface SpaceRecovery {
    /**
     * Repeats or takes back changes, usually from a log, with the session that it was given to: only that one may read and change the
     * space until this returns. Pages that were half changed, or changed beyond the log, have their file's content already.
     *
     * @param reloadedBlocks how many pages were read from the file again
     * @throws IOException if it cannot; then the space has to be recovered still
     */
    void recover(int reloadedBlocks) throws IOException;
}
