package io.numabufferpool.server.lifecycle;

import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.segment.PlacementFailed;
import io.numabufferpool.server.segment.StopSignal;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tries to get a segment until it is there: memory and huge pages come back, cpusets change. It gives up after the same
 * problem has lasted {@link #SAME_PROBLEM_MAX}, so that a person sees a restarting container instead of one that hangs.
 */
final class Patience {
    static final Duration SAME_PROBLEM_MAX = Duration.ofMinutes(5);

    private static final Duration PAUSE_FIRST = Duration.ofSeconds(1);
    private static final Duration PAUSE_LAST = Duration.ofSeconds(10);

    private final Consumer<Duration> pauses;
    private final LongSupplier nanoTime;
    private final Log log;

    /** The last problem did not go away. */
    static final class GaveUp extends RuntimeException {
        private static final long serialVersionUID = 1L;

        GaveUp(String message) {
            super(message);
        }
    }

    Patience(StopSignal stop, Log log) {
        this(stop::pause, System::nanoTime, log);
    }

    Patience(Consumer<Duration> pauses, LongSupplier nanoTime, Log log) {
        this.pauses = pauses;
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /** The result of the first try that does not fail; {@code failed} hears of every problem that differs from the last. */
    <T> T until(Supplier<T> attempt, Consumer<Problem> failed) {
        var pause = PAUSE_FIRST;
        var last = "";
        long sinceNanos = nanoTime.getAsLong();
        while (true) {
            try {
                return attempt.get();
            } catch (PlacementFailed problem) {
                var message = String.valueOf(problem.getMessage());
                if (!message.equals(last)) {
                    last = message;
                    sinceNanos = nanoTime.getAsLong();
                }
                failed.accept(new Problem(problem.reason(), message));
                if (nanoTime.getAsLong() - sinceNanos > SAME_PROBLEM_MAX.toNanos()) {
                    throw new GaveUp("no progress for " + SAME_PROBLEM_MAX.toMinutes() + " minutes: " + message);
                }
            }
            log.info("trying again", "seconds", pause.toSeconds());
            pauses.accept(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(PAUSE_LAST) > 0 ? PAUSE_LAST : pause;
        }
    }
}
