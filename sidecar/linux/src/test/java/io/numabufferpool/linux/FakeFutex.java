package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Futexes of a {@link FakeLinux}, by address: all mappings of a file show the same. Thread-safe. */
final class FakeFutex {
    private final Map<Long, Deque<Waiter>> waiters = new HashMap<>();

    private static final class Waiter {
        private boolean woken;
    }

    synchronized Errno await(MemorySegment word, int expected, long timeoutNanos) {
        if (word.address() % Integer.BYTES != 0) {
            return Errno.EINVAL;
        }
        if (word.get(JAVA_INT, 0) != expected) {
            return Errno.EAGAIN;
        }
        var waiter = new Waiter();
        var queue = waiters.computeIfAbsent(word.address(), _ -> new ArrayDeque<>());
        queue.add(waiter);
        try {
            long deadline = System.nanoTime() + Math.max(0, timeoutNanos);
            for (long left = deadline - System.nanoTime(); !waiter.woken && left > 0; ) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
                left = deadline - System.nanoTime();
            }
            return waiter.woken ? Errno.OK : Errno.ETIMEDOUT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Errno.EINTR;
        } finally {
            queue.remove(waiter);
        }
    }

    synchronized int wake(MemorySegment word, int count) {
        int woken = 0;
        var queue = waiters.getOrDefault(word.address(), new ArrayDeque<>());
        while (woken < count && !queue.isEmpty()) {
            queue.remove().woken = true;
            woken++;
        }
        notifyAll();
        return woken;
    }
}
