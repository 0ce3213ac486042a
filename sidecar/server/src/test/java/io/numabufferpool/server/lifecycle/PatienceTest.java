package io.numabufferpool.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.crds.Reason;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.PlacementFailed;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** On a clock that only pauses move. */
final class PatienceTest {
    private final List<Problem> told = new ArrayList<>();
    private Duration now = Duration.ZERO;
    private final Patience patience = new Patience(
            pause -> now = now.plus(pause),
            () -> now.toNanos(),
            new Log(new PrintStream(OutputStream.nullOutputStream()), LogFormat.TEXT, Clock.systemUTC()));

    private static PlacementFailed failure(String message) {
        return new PlacementFailed(Reason.InsufficientHugePages, message);
    }

    @Test
    void theSameProblemForFiveMinutesEndsTheProcessAndIsNamed() {
        assertThatThrownBy(() -> patience.until(
                        () -> {
                            throw failure("NUMA node 1 has 4 free huge pages");
                        },
                        told::add))
                .isInstanceOf(Patience.GaveUp.class)
                .hasMessage("no progress for 5 minutes: NUMA node 1 has 4 free huge pages");
        assertThat(now).isBetween(Patience.SAME_PROBLEM_MAX, Patience.SAME_PROBLEM_MAX.plusSeconds(20));
        assertThat(told)
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem.reason()).isEqualTo(Reason.InsufficientHugePages));
    }

    @Test
    void anotherProblemIsProgressAndStartsTheTimeAnew() {
        var tries = new AtomicInteger();

        assertThatThrownBy(() -> patience.until(
                        () -> {
                            throw failure(tries.incrementAndGet() <= 20 ? "4 are free" : "5 are free");
                        },
                        told::add))
                .isInstanceOf(Patience.GaveUp.class)
                .hasMessageEndingWith("5 are free");

        assertThat(now).isGreaterThan(Patience.SAME_PROBLEM_MAX.plusMinutes(2));
    }

    @Test
    void pagesThatComeBackAreFoundAndTheResultIsThatOfTheTry() {
        var tries = new AtomicInteger();

        var result = patience.until(
                () -> {
                    if (tries.incrementAndGet() < 4) {
                        throw failure("not yet");
                    }
                    return "placed";
                },
                told::add);

        assertThat(result).isEqualTo("placed");
        assertThat(told).hasSize(3);
        assertThat(now).isEqualTo(Duration.ofSeconds(1 + 2 + 4));
    }
}
