package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.crds.NumaPlacement;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.BiConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/*
 * One entry a pod holds what is wanted and what was written last. A report replaces what is wanted, so a pod that reports
 * ten times before its turn is written once, with the newest. Two queues lead to the entries: urgent ones in the order they
 * came, and those of which only numbers changed, by the time they are due. One thread takes urgent ones first, never more
 * than WRITES_PER_SECOND in all. An entry is in at most one queue; `queued` says in which.
 */
/**
 * Writes placements: what changed in state at once, what changed in numbers at most every {@link #INTERVAL_MIN}, and never
 * more than {@link #WRITES_PER_SECOND}, so that reports of thousands of pods do not become a load on the API server.
 * Thread-safe. {@link #writeDue} is called by one thread.
 */
final class PlacementWriter {
    /** Numbers of one pod are written at most this often; more placements stretch it. */
    static final Duration INTERVAL_MIN = Duration.ofSeconds(10);

    /** Together with a second replica half of what a small API server does without noticing. */
    static final int WRITES_PER_SECOND = 20;

    /** After a failed write; doubled with each further one. */
    static final Duration RETRY_FIRST = Duration.ofSeconds(1);

    /** An API server that is back is noticed within this. */
    static final Duration RETRY_LONGEST = Duration.ofSeconds(30);

    private static final int DOUBLINGS_MAX = 5;

    /** A watch brings an own write back within milliseconds; a busy API server may take seconds. */
    static final Duration CACHE_LAG = Duration.ofSeconds(5);

    /** Much longer than any sidecar is silent, short enough that pods of yesterday cost nothing. */
    static final Duration FORGOTTEN_AFTER = Duration.ofHours(1);

    private static final Logger LOG = Logger.getLogger(PlacementWriter.class);

    private final BiConsumer<NumaPlacement, @Nullable NumaPlacement> store;
    private final Clock clock;
    private final TokenBucket writes;
    private final Map<String, Entry> entries = new HashMap<>();
    private final ArrayDeque<Entry> urgent = new ArrayDeque<>();
    private final PriorityQueue<Entry> later = new PriorityQueue<>(Comparator.comparing(entry -> entry.dueAt));

    /** Ready to use; {@code store}: writes a placement to the API server, given what is there as far as is known; blocking. */
    PlacementWriter(BiConsumer<NumaPlacement, @Nullable NumaPlacement> store, Clock clock) {
        this.store = store;
        this.clock = clock;
        this.writes = new TokenBucket(WRITES_PER_SECOND, WRITES_PER_SECOND, clock);
    }

    private enum Queued {
        NOWHERE,
        URGENT,
        LATER
    }

    private static final class Entry {
        private final String key;
        private NumaPlacement wanted;
        private @Nullable NumaPlacement written;
        private Instant writtenAt = Instant.MIN;
        private Instant dueAt = Instant.MIN;
        private Instant offeredAt = Instant.MIN;
        private Queued queued = Queued.NOWHERE;
        private int failures;

        Entry(String key, NumaPlacement wanted, @Nullable NumaPlacement written) {
            this.key = key;
            this.wanted = wanted;
            this.written = written;
        }
    }

    /** What this replica wants the pod's placement to be, newer than what any cache shows. */
    synchronized Optional<NumaPlacement> findWanted(String namespace, String podName) {
        return Optional.ofNullable(entries.get(key(namespace, podName))).map(entry -> entry.wanted);
    }

    /**
     * Takes over what is wanted, and queues it as urgently as the change is.
     *
     * @param stored the placement as the cache shows it; believed unless this replica wrote within {@link #CACHE_LAG}, so
     *     what others changed or removed comes back with the next report
     */
    synchronized PlacementChange offer(NumaPlacement wanted, @Nullable NumaPlacement stored) {
        var now = clock.instant();
        var key = key(wanted.getMetadata().getNamespace(), wanted.getMetadata().getName());
        var entry = entries.computeIfAbsent(key, absent -> new Entry(absent, wanted, stored));
        entry.wanted = wanted;
        entry.offeredAt = now;
        if (now.isAfter(entry.writtenAt.plus(CACHE_LAG))) {
            entry.written = stored;
        }
        var change = PlacementChange.between(entry.written, wanted);
        queue(entry, change);
        return change;
    }

    private void queue(Entry entry, PlacementChange change) {
        if (entry.failures > 0 || entry.queued == Queued.URGENT) {
            return;
        }
        switch (change) {
            case STATE -> {
                later.remove(entry);
                urgent.add(entry);
                entry.queued = Queued.URGENT;
            }
            case NUMBERS -> {
                if (entry.queued == Queued.NOWHERE) {
                    queueLater(entry, latest(entry.writtenAt.plus(interval()), clock.instant()));
                }
            }
            case NONE -> {
                later.remove(entry);
                entry.queued = Queued.NOWHERE;
            }
        }
    }

    private void queueLater(Entry entry, Instant dueAt) {
        entry.dueAt = dueAt;
        entry.queued = Queued.LATER;
        later.add(entry);
    }

    /** Stretched so that all placements together stay below the limit. */
    private Duration interval() {
        var stretched = Duration.ofSeconds(entries.size() / WRITES_PER_SECOND);
        return stretched.compareTo(INTERVAL_MIN) > 0 ? stretched : INTERVAL_MIN;
    }

    private static Instant latest(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    /** Forgets pods that have not reported for {@link #FORGOTTEN_AFTER}; the garbage collector removes their placements. */
    synchronized void forgetSilent() {
        var before = clock.instant().minus(FORGOTTEN_AFTER);
        entries.values().removeIf(entry -> entry.queued == Queued.NOWHERE && entry.offeredAt.isBefore(before));
    }

    /** Placements that wait for their turn. */
    synchronized int waiting() {
        return urgent.size() + later.size();
    }

    /** Writes one placement if one is due and the limit allows it. */
    boolean writeDue() {
        var entry = takeDue();
        if (entry == null) {
            return false;
        }
        NumaPlacement wanted;
        NumaPlacement written;
        synchronized (this) {
            wanted = entry.wanted;
            written = entry.written;
        }
        try {
            store.accept(wanted, written);
            succeeded(entry, wanted);
        } catch (KubernetesClientException e) {
            failed(entry, wanted, e);
        }
        return true;
    }

    private synchronized @Nullable Entry takeDue() {
        boolean somethingIsDue =
                !urgent.isEmpty() || (!later.isEmpty() && !later.element().dueAt.isAfter(clock.instant()));
        if (!somethingIsDue || !writes.tryTake()) {
            return null;
        }
        var entry = urgent.isEmpty() ? later.remove() : urgent.remove();
        entry.queued = Queued.NOWHERE;
        return entry;
    }

    private synchronized void succeeded(Entry entry, NumaPlacement written) {
        entry.written = written;
        entry.writtenAt = clock.instant();
        entry.failures = 0;
        if (isKnown(entry)) {
            queue(entry, PlacementChange.between(written, entry.wanted));
        }
    }

    private synchronized void failed(Entry entry, NumaPlacement wanted, KubernetesClientException e) {
        var namespace = wanted.getMetadata().getNamespace();
        var name = wanted.getMetadata().getName();
        if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND || isRefusedForGood(e)) {
            LOG.warnv(
                    "placement not written, and not tried again before the next report: namespace={0} pod={1} problem={2}",
                    namespace, name, e.getMessage());
            entries.remove(entry.key);
            return;
        }
        entry.failures++;
        var wait = RETRY_FIRST.multipliedBy(1L << Math.min(entry.failures - 1, DOUBLINGS_MAX));
        var bounded = wait.compareTo(RETRY_LONGEST) > 0 ? RETRY_LONGEST : wait;
        LOG.warnv(
                "placement not written: namespace={0} pod={1} retry={2} problem={3}",
                namespace, name, bounded, e.getMessage());
        if (isKnown(entry)) {
            queueLater(entry, clock.instant().plus(bounded));
        }
    }

    /** Refusals that the same request meets again: no such namespace any more, not valid. */
    private static boolean isRefusedForGood(KubernetesClientException e) {
        return e.getCode() == HttpURLConnection.HTTP_BAD_REQUEST || e.getCode() == 422;
    }

    private boolean isKnown(Entry entry) {
        return entries.get(entry.key) == entry;
    }

    private static String key(String namespace, String podName) {
        return namespace + "/" + podName;
    }
}
