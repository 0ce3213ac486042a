package io.numabufferpool.server.report;

import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.report.OperatorClient.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the operator informed: a change of state at once, usage at most every 10 seconds and only when it differs. An
 * operator that is away costs a line in the log and a try now and then. Thread-safe.
 */
public final class Reporter implements AutoCloseable {
    /** The operator writes each report to the API server; faster than this is for metrics. */
    static final Duration USAGE_PERIOD = Duration.ofSeconds(10);

    /** Between tries while the operator does not answer: doubled from the first to the last. */
    static final Duration RETRY_FIRST = Duration.ofSeconds(1);

    static final Duration RETRY_LAST = Duration.ofSeconds(60);

    /**
     * An unchanged state is told again after so long: an operator that answers and dies before it has written leaves the
     * API behind, and only its sidecar knows; and the answer tells whether the pool has a newer spec. A report that says nothing
     * new is not written again.
     */
    private static final Duration RESEND_PERIOD = Duration.ofMinutes(1);

    /** How long close() waits for an exchange that is under way: its own limit. */
    private static final Duration CLOSE_TIME_MAX = Duration.ofSeconds(6);

    /** Makes the report of this moment. */
    public interface Source {
        PlacementReport report(long sequence);
    }

    private final OperatorClient operator;
    private final Source source;
    private final Log log;
    private final Duration resendPeriod;
    private final Thread thread;

    /** Guards the fields below. */
    private final Object lock = new Object();

    private volatile Consumer<PlacementAnswer> answered = answer -> {};
    private long sequence;
    private boolean changed;
    private boolean closed;

    /** Only the thread that sends uses these. */
    private @Nullable PlacementReport sent;

    private long sentNanos;

    private String lastFailure = "";

    /**
     * @param firstSequence higher than any that an earlier process of this pod used; the clock's milliseconds are
     */
    public Reporter(OperatorClient operator, Source source, long firstSequence, Log log) {
        this(operator, source, firstSequence, log, RESEND_PERIOD);
    }

    Reporter(OperatorClient operator, Source source, long firstSequence, Log log, Duration resendPeriod) {
        this.resendPeriod = resendPeriod;
        this.operator = operator;
        this.source = source;
        this.sequence = firstSequence;
        this.log = log;
        this.thread = Thread.ofPlatform().name("reporter").daemon().unstarted(this::loop);
    }

    /** Sends the state of this moment now, on the caller's thread, before {@link #start}. */
    public Optional<PlacementAnswer> ask() {
        return send(source.report(nextSequence()));
    }

    /** Whether it is worth asking again: there is a CA to recognize the operator by. */
    public boolean operatorKnown() {
        return operator.trusted();
    }

    /** Who gets every answer, on the thread that sent the report. */
    public void onAnswer(Consumer<PlacementAnswer> listener) {
        answered = listener;
    }

    /** From now on changes are reported by themselves. */
    public void start() {
        thread.start();
    }

    /** The state changed: report it at once. */
    public void stateChanged() {
        synchronized (lock) {
            changed = true;
            lock.notifyAll();
        }
    }

    private long nextSequence() {
        synchronized (lock) {
            return sequence++;
        }
    }

    private void loop() {
        var pause = Duration.ZERO;
        while (awaitTurn(pause)) {
            var report = source.report(nextSequence());
            if (sent != null && sameButForSequence(report, sent) && !resendIsDue()) {
                pause = USAGE_PERIOD;
                continue;
            }
            boolean answered = send(report).isPresent();
            pause = answered ? USAGE_PERIOD : longer(pause);
            if (!answered) {
                keepChange();
            }
        }
    }

    private boolean resendIsDue() {
        return System.nanoTime() - sentNanos >= resendPeriod.toNanos();
    }

    private static Duration longer(Duration pause) {
        var doubled = pause.multipliedBy(2);
        if (doubled.compareTo(RETRY_FIRST) < 0) {
            return RETRY_FIRST;
        }
        return doubled.compareTo(RETRY_LAST) > 0 ? RETRY_LAST : doubled;
    }

    /** A report that did not arrive is tried again after the pause, not at once. */
    private void keepChange() {
        synchronized (lock) {
            changed = false;
        }
    }

    /** Waits for the pause to end or for a change; false when closed. */
    private boolean awaitTurn(Duration pause) {
        long until = System.nanoTime() + pause.toNanos();
        synchronized (lock) {
            while (!closed && !changed) {
                long left = until - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(lock, left);
                } catch (InterruptedException stopped) {
                    return false;
                }
            }
            changed = false;
            return !closed;
        }
    }

    private Optional<PlacementAnswer> send(PlacementReport report) {
        return switch (operator.send(report)) {
            case Outcome.Answered answered -> {
                if (!lastFailure.isEmpty()) {
                    log.info("the operator takes reports again");
                    lastFailure = "";
                }
                sent = report;
                sentNanos = System.nanoTime();
                this.answered.accept(answered.answer());
                yield Optional.of(answered.answer());
            }
            case Outcome.Failed failed -> {
                if (!failed.why().equals(lastFailure)) {
                    log.warn("the operator was not reached; the pool goes on without it", "reason", failed.why());
                    lastFailure = failed.why();
                }
                yield Optional.empty();
            }
        };
    }

    private static boolean sameButForSequence(PlacementReport a, PlacementReport b) {
        return java.util.Objects.equals(a.generation(), b.generation())
                && java.util.Objects.equals(a.decision(), b.decision())
                && withoutSequence(a.status()).equals(withoutSequence(b.status()));
    }

    private static NumaPlacementStatus withoutSequence(NumaPlacementStatus status) {
        return new NumaPlacementStatus(
                status.phase(),
                status.method(),
                status.decidedBy(),
                status.placed(),
                status.generation(),
                0,
                null,
                status.sidecar(),
                status.observation(),
                status.numaNodes(),
                status.partitions(),
                status.conditions());
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        thread.interrupt();
        try {
            thread.join(CLOSE_TIME_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
