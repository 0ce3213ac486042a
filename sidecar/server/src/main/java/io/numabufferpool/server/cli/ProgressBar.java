package io.numabufferpool.server.cli;

import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.segment.Progress;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Progress as a bar that is drawn over itself, for a terminal. Thread-safe. */
public final class ProgressBar implements Progress {
    private static final int WIDTH = 30;

    /** Faster than this nobody reads, and a slow terminal would slow the work. */
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PrintStream terminal;
    private long drawnNanos;

    public ProgressBar(PrintStream terminal) {
        this.terminal = terminal;
        this.drawnNanos = System.nanoTime() - REDRAW_NANOS;
    }

    @Override
    public synchronized void advanced(String step, long doneBytes, long totalBytes) {
        boolean done = doneBytes >= totalBytes;
        long now = System.nanoTime();
        if (!done && now - drawnNanos < REDRAW_NANOS) {
            return;
        }
        drawnNanos = now;
        var amount = ByteCount.render(doneBytes) + " of " + ByteCount.render(totalBytes);
        terminal.printf("\r%-9s [%s] %-28s", step, Bar.of(doneBytes, totalBytes, WIDTH), amount);
        if (done) {
            terminal.println();
        }
        terminal.flush();
    }
}
