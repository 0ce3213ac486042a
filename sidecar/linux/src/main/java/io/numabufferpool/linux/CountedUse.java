package io.numabufferpool.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a native resource (descriptor, mapping) while calls use it: whoever ends last, the owner or a running call, frees
 * it. So a close() never waits, and a descriptor number or an address is never used after it became a stranger's.
 * Thread-safe.
 */
final class CountedUse {
    private final Runnable free;
    /** The owner counts as one user until {@link #end()}; 0: freed. */
    private final AtomicInteger users = new AtomicInteger(1);

    private final AtomicInteger ended = new AtomicInteger();

    CountedUse(Runnable free) {
        this.free = free;
    }

    /** One more user, to be followed by {@link #leave()}; false when the owner has ended. */
    boolean tryEnter() {
        if (ended.get() != 0) {
            return false;
        }
        // Each failed compare-and-set means that another user entered or left: somebody made progress.
        for (int now = users.get(); now > 0; now = users.get()) {
            if (users.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    void leave() {
        if (users.decrementAndGet() == 0) {
            free.run();
        }
    }

    /** The owner's end; the second time it does nothing. */
    void end() {
        if (ended.compareAndSet(0, 1)) {
            leave();
        }
    }
}
