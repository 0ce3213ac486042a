package io.numabufferpool.server.cli;

import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.segment.Progress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Progress as log lines: the end of every step, and on the way one line now and then. Thread-safe. */
public final class ProgressLog implements Progress {
    /** Often enough to see that it is alive, seldom enough not to fill the log of a terabyte. */
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Log log;
    private final Map<String, Long> writtenNanos = new HashMap<>();

    public ProgressLog(Log log) {
        this.log = log;
    }

    @Override
    public synchronized void advanced(String step, long doneBytes, long totalBytes) {
        long now = System.nanoTime();
        long written = writtenNanos.computeIfAbsent(step, first -> now);
        boolean done = doneBytes >= totalBytes;
        if (!done && now - written < LINE_NANOS) {
            return;
        }
        writtenNanos.put(step, now);
        long percent = totalBytes == 0 ? 100 : doneBytes * 100 / totalBytes;
        log.info("placing pages", "step", step, "percent", percent, "bytes", doneBytes, "of", totalBytes);
    }
}
