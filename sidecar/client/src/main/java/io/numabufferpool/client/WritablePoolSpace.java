package io.numabufferpool.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;

/**
 * A file that is changed through the pool, opened by {@link PoolClient#openWriteThrough} or {@link PoolClient#openWriteBack}. All
 * processes of the pod that opened it so see one content, at once; who opened it by {@link PoolClient#openFile} sees the file's.
 * Nobody else may write the file meanwhile. Thread-safe; usable with every session of its client.
 */
public final class WritablePoolSpace extends PoolSpace {
    private final WritableFile file;

    WritablePoolSpace(PoolClient client, WritableFile file, int bufferBytes, Cleaner cleaner, Runnable closing) {
        super(client, file, bufferBytes, cleaner, closing);
        this.file = file;
    }

    WritableFile file() {
        return file;
    }

    /**
     * Makes the file at least this long; the new bytes are zero.
     *
     * @throws IOException if it cannot be that long
     */
    public void extend(long bytes) throws IOException {
        file.extend(bytes);
    }

    /**
     * Makes durable what has been written to the file so far (fdatasync). With {@link PoolSession#flush} before it: all changes that
     * were complete then.
     */
    public void force() throws IOException {
        file.force();
    }

    /** Says that the log is durable up to here: a client that dies later costs nobody a recovery for changes marked up to there. */
    public void raiseLoggedPosition(long position) {
        file.space().raiseLoggedPosition(position);
    }

    /** The log is durable up to here, as far as any process has said. */
    public long loggedPosition() {
        return file.space().loggedPosition();
    }

    /**
     * Writes what is dirty and closes the file. Its pages stay in the pool for others.
     *
     * @throws UncheckedIOException if a page cannot be written: the change is in the pool still, for whoever has the file open or opens
     *     it next; {@link PoolSession#flush} before it tells the same and leaves the space open
     */
    @Override
    public void close() {
        try {
            file.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        } finally {
            super.close();
        }
    }
}
