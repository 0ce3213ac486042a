package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Conditions change their time with their status only. */
class ConditionTest {
    private static final Instant EARLIER = Instant.parse("2026-12-01T03:00:00.123Z");
    private static final Instant LATER = Instant.parse("2026-12-01T04:00:00.987Z");

    @Test
    void theTransitionTimeStaysWhileTheStatusDoes() {
        var before = condition(ConditionStatus.False, Reason.PodsNotReady, EARLIER);
        var now = condition(ConditionStatus.False, Reason.PodsDegraded, LATER).since(List.of(before));

        assertThat(now.lastTransitionTime()).isEqualTo("2026-12-01T03:00:00Z");
        assertThat(now.reason()).isEqualTo("PodsDegraded");
    }

    @Test
    void theTransitionTimeMovesWithTheStatus() {
        var before = condition(ConditionStatus.False, Reason.PodsNotReady, EARLIER);
        var now = condition(ConditionStatus.True, Reason.AllPodsReady, LATER).since(List.of(before));

        assertThat(now.lastTransitionTime()).isEqualTo("2026-12-01T04:00:00Z");
    }

    @Test
    void anotherTypesTimeIsNotTaken() {
        var other = Condition.of(ConditionType.Stalled, ConditionStatus.True, Reason.InvalidSpec, "", 1L, EARLIER);
        var now = condition(ConditionStatus.True, Reason.AllPodsReady, LATER).since(List.of(other));

        assertThat(now.lastTransitionTime()).isEqualTo("2026-12-01T04:00:00Z");
        assertThat(Condition.find(List.of(other, now), ConditionType.Ready)).contains(now);
        assertThat(Condition.find(List.of(other), ConditionType.Ready)).isEmpty();
    }

    private static Condition condition(ConditionStatus status, Reason reason, Instant time) {
        return Condition.of(ConditionType.Ready, status, reason, "m", 1L, time);
    }
}
