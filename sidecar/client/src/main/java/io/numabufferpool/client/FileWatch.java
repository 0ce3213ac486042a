package io.numabufferpool.client;

import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.pool.PoolException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the open files of a client at a steady pace, because hits do not touch the file: a file that was replaced, truncated or
 * rewritten is found within {@link #PAUSE_MILLIS} and the time of one round. Thread-safe; its thread runs while files are open.
 */
final class FileWatch implements AutoCloseable {
    /** Two system calls a file and round: 100 files cost a thousandth of a CPU. */
    static final long PAUSE_MILLIS = 200;

    /** A round over thousands of files is a few milliseconds. */
    private static final long CLOSE_MILLIS = 2_000;

    private static final System.Logger LOG = System.getLogger(FileWatch.class.getName());

    private final Set<OpenFile> files = ConcurrentHashMap.newKeySet();

    /** Guarded by this. */
    private @Nullable Thread thread;

    private volatile boolean closed;

    synchronized void add(OpenFile file) {
        files.add(file);
        if (thread == null) {
            thread = new Thread(this::rounds, "numapool-files");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Stops looking at this file and closes it. */
    void remove(OpenFile file) {
        if (files.remove(file)) {
            file.abandon();
        }
    }

    private void rounds() {
        while (!closed) {
            files.forEach(FileWatch::look);
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                // Only close() interrupts this thread.
                return;
            }
        }
    }

    private static void look(OpenFile file) {
        try {
            file.checkUnchanged();
        } catch (SpaceChanged e) {
            LOG.log(Level.DEBUG, "file of a space changed reason={0}", e.getMessage());
        } catch (IOException | LinuxException | PoolException e) {
            // Closed meanwhile, or not to be looked at or registered now: whoever reads it will be told, and the next
            // round tries again.
            LOG.log(Level.DEBUG, "file of a space not looked at path={0} reason={1}", file.path(), e.getMessage());
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running != null) {
            running.interrupt();
            try {
                running.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        files.forEach(this::remove);
    }
}
