package io.numabufferpool.operator.bufferpool;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.NumaBufferPoolStatus;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.PodCounts;
import io.numabufferpool.crds.PodUsage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** When a pool's status is written: a change of state at once, changed numbers every {@link #INTERVAL}, else never. Thread-safe. */
final class StatusPace {
    /** The same as for placements: hits appear within half a minute, and a busy pool is written six times a minute. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Clock clock;
    private final Map<String, Instant> writtenAt = new HashMap<>();

    StatusPace(Clock clock) {
        this.clock = clock;
    }

    /** How long to wait before the write; empty: there is nothing to write. */
    synchronized Optional<Duration> wait(
            String uid, @Nullable NumaBufferPoolStatus there, NumaBufferPoolStatus wanted) {
        if (wanted.equals(there)) {
            return Optional.empty();
        }
        if (there == null || !State.of(there).equals(State.of(wanted))) {
            return Optional.of(Duration.ZERO);
        }
        var last = writtenAt.get(uid);
        if (last == null) {
            return Optional.of(Duration.ZERO);
        }
        var left = Duration.between(clock.instant(), last.plus(INTERVAL));
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }

    /** Notes that the pool's status is written now; forgets those whose interval has passed. */
    synchronized void written(String uid) {
        var now = clock.instant();
        writtenAt.values().removeIf(at -> !now.isBefore(at.plus(INTERVAL)));
        writtenAt.put(uid, now);
    }

    private record Placed(int numaNode, long wantedBytes, long placedBytes, long spilledBytes, long hugeBytes) {
        static Placed of(NumaNodeUsage usage) {
            return new Placed(
                    usage.numaNode(),
                    usage.wantedBytes(),
                    usage.placedBytes(),
                    usage.spilledBytes(),
                    usage.hugeBytes());
        }
    }

    private record State(
            @Nullable Long observedGeneration,
            @Nullable PodCounts pods,
            List<Placed> placed,
            List<String> worstPods,
            List<String> conditions) {
        static State of(NumaBufferPoolStatus status) {
            return new State(
                    status.observedGeneration(),
                    status.pods(),
                    status.numaNodes().stream().map(Placed::of).toList(),
                    status.worstPods().stream().map(State::text).toList(),
                    status.conditions().stream().map(State::text).toList());
        }

        private static String text(PodUsage pod) {
            return pod.name() + " " + pod.phase() + " " + Objects.requireNonNullElse(pod.reason(), "");
        }

        private static String text(Condition condition) {
            return condition.type() + " " + condition.status() + " " + condition.reason();
        }
    }
}
