package io.numabufferpool.server.segment;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells every part of the program that it shall end. Thread-safe; set once, never taken back. */
public final class StopSignal {
    private final CountDownLatch latch = new CountDownLatch(1);

    /** Work was left undone because the program is to end: not a failure. */
    public static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("the program was told to stop", null, false, false);
        }
    }

    public void request() {
        latch.countDown();
    }

    public boolean requested() {
        return latch.getCount() == 0;
    }

    /** Throws {@link Stopped} once the program is to end: between two chunks of work. */
    public void check() {
        if (requested()) {
            throw new Stopped();
        }
    }

    /** Sleeps for that long or until the program is to end: true in that case. */
    public boolean await(Duration time) {
        try {
            return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            // Only this program's own end interrupts its threads.
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** As {@link #await}, but throws {@link Stopped}. */
    public void pause(Duration time) {
        if (await(time)) {
            throw new Stopped();
        }
    }
}
