package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.pool.Reaper;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the dead among the clients that hold slots, and has the pool clear their slots.
 *
 * <p>A client is dead when its byte of {@code clients.lock} can be taken: the kernel gives it back however the process ended, and
 * never while it lives, stopped or not. The reaper <em>holds</em> the byte while it reaps, so that a newcomer cannot get the number
 * before its slots are empty; after an interrupted reap the next round starts it again (checked in the protocol model "attach").
 *
 * <p>It looks at everyone once a second, and at one client at once when {@link #connectionEnded} tells that its connection ended.
 */
public final class SlotReaper implements AutoCloseable {
    /** A dead client's slots are back within this and the time of one round. */
    static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * When to look after a connection ended. The kernel closes a dying process's files one by one, the socket perhaps before the
     * lock, and a process with much memory takes a while; whoever holds its byte after the last look is left to the rounds.
     */
    private static final long[] LOOKS_NANOS = {0, 10_000_000L, 50_000_000L, 200_000_000L};

    /** How long close() waits for a reap that is under way: it is bounded by the size of the pool. */
    private static final long CLOSE_MILLIS = 10_000;

    private static final System.Logger LOG = System.getLogger(SlotReaper.class.getName());

    private final ClientsLock lock;
    private final SlotHolders holders;
    private final BiConsumer<Set<Integer>, Reaper.Reaped> reaped;
    private final Thread thread;

    /** Guarded by this. */
    private final PriorityQueue<Look> looks = new PriorityQueue<>();

    /** Guarded by this. */
    private boolean closed;

    /** Of the reaper's thread alone. */
    private String lastFailure = "";

    /** A look at one client, due at a time of System.nanoTime(). */
    private record Look(long dueNanos, int clientNumber, int attempt) implements Comparable<Look> {
        @Override
        public int compareTo(Look other) {
            return Long.compare(dueNanos - other.dueNanos, 0);
        }
    }

    private SlotReaper(ClientsLock lock, SlotHolders holders, BiConsumer<Set<Integer>, Reaper.Reaped> reaped) {
        this.lock = lock;
        this.holders = holders;
        this.reaped = reaped;
        this.thread = new Thread(this::rounds, "slot-reaper");
        thread.setDaemon(true);
    }

    /**
     * Starts the rounds. The first one is at once: it finds those who died while no sidecar ran.
     *
     * @param reaped told who was reaped and what came back; called on the reaper's thread
     */
    public static SlotReaper start(
            Linux linux, Path attachFolder, SlotHolders holders, BiConsumer<Set<Integer>, Reaper.Reaped> reaped) {
        var reaper = new SlotReaper(ClientsLock.openOrCreate(linux, attachFolder), holders, reaped);
        reaper.thread.start();
        return reaper;
    }

    /** Looks at this client's byte now, and a few times more shortly after. */
    public synchronized void connectionEnded(int clientNumber) {
        looks.add(new Look(System.nanoTime(), clientNumber, 0));
        notifyAll();
    }

    private void rounds() {
        long roundDueNanos = System.nanoTime();
        while (true) {
            var look = nextLook(roundDueNanos);
            if (isClosed()) {
                return;
            }
            if (look == null) {
                roundDueNanos = System.nanoTime() + ROUND_NANOS;
            }
            try {
                if (look != null) {
                    look(look);
                } else {
                    round();
                }
            } catch (RuntimeException e) {
                // A segment that cannot be read now must not end the reaping for good.
                if (!e.toString().equals(lastFailure)) {
                    LOG.log(Level.ERROR, "slot holders not read", e);
                }
                lastFailure = e.toString();
            }
        }
    }

    /** The next look that is due; null when the round is due or the reaper is closed. */
    private synchronized @Nullable Look nextLook(long roundDueNanos) {
        while (!closed) {
            long now = System.nanoTime();
            if (roundDueNanos - now <= 0) {
                return null;
            }
            var first = looks.peek();
            long dueNanos = first == null || first.dueNanos - roundDueNanos > 0 ? roundDueNanos : first.dueNanos;
            if (first != null && first.dueNanos - now <= 0) {
                return looks.remove();
            }
            try {
                // Rounded up: a wait of 0 ms would be for ever.
                wait(TimeUnit.NANOSECONDS.toMillis(dueNanos - now) + 1);
            } catch (InterruptedException e) {
                // Only close() interrupts this thread, and it has set closed.
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return null;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void look(Look look) {
        var holder = new TreeSet<>(holders.clientNumbers());
        holder.retainAll(Set.of(look.clientNumber));
        int next = look.attempt + 1;
        if (holder.isEmpty() || !reapDead(holder).isEmpty() || next == LOOKS_NANOS.length) {
            return;
        }
        synchronized (this) {
            looks.add(new Look(System.nanoTime() + LOOKS_NANOS[next], look.clientNumber, next));
        }
    }

    private void round() {
        reapDead(holders.clientNumbers());
    }

    /** Reaps those of the candidates whose bytes can be taken, all at once because the dead may block each other. */
    private Set<Integer> reapDead(Set<Integer> candidates) {
        var dead = new TreeSet<Integer>();
        try {
            for (int candidate : candidates) {
                if (lock.tryTake(candidate)) {
                    dead.add(candidate);
                }
            }
            if (!dead.isEmpty() && !tryReap(dead) && dead.size() > 1) {
                // One whose slots cannot be cleared must not keep the others' from coming back.
                dead.forEach(one -> tryReap(Set.of(one)));
            }
        } finally {
            dead.forEach(lock::release);
        }
        return dead;
    }

    private boolean tryReap(Set<Integer> dead) {
        try {
            var found = holders.reap(dead);
            LOG.log(Level.DEBUG, "clients reaped numbers={0} found={1}", dead, found);
            reaped.accept(dead, found);
            lastFailure = "";
            return true;
        } catch (RuntimeException e) {
            // The next round tries again; what fails the same way each second is told once.
            if (!e.toString().equals(lastFailure)) {
                LOG.log(Level.ERROR, "clients not reaped numbers=" + dead, e);
            }
            lastFailure = e.toString();
            return false;
        }
    }

    /** Ends the rounds. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            notifyAll();
        }
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lock.close();
    }
}
