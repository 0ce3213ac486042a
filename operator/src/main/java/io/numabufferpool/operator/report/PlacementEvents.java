package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.operator.cluster.EventRecorder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns a change of a placement into the events that a person wants to read: each once, when its reason appears. */
final class PlacementEvents {
    private static final Set<String> TOLD = Arrays.stream(Reason.values())
            .filter(Reason::isEvent)
            .map(Enum::name)
            .collect(Collectors.toUnmodifiableSet());

    /** Good news; everything else is a warning. */
    private static final Set<String> NORMAL =
            Set.of(Reason.PlacementVerified.name(), Reason.SidecarReadopted.name(), Reason.ClientReaped.name());

    private final EventRecorder recorder;

    PlacementEvents(EventRecorder recorder) {
        this.recorder = recorder;
    }

    /** Events for what is new in {@code now}; {@code before} is null for a pod's first report. */
    void record(NumaBufferPool pool, Pod pod, @Nullable NumaPlacement before, NumaPlacement now) {
        var known = conditionsOf(before).stream().map(Condition::reason).collect(Collectors.toSet());
        for (var condition : conditionsOf(now)) {
            if (isNews(condition) && !known.contains(condition.reason())) {
                recorder.record(pool, pod, type(condition.reason()), condition.reason(), condition.message());
            }
        }
        if (isReadopted(before, now)) {
            recorder.record(
                    pool,
                    pod,
                    EventRecorder.Type.NORMAL,
                    Reason.SidecarReadopted.name(),
                    "The sidecar started again and took over segment "
                            + now.getStatus().generation() + "; clients kept running.");
        }
    }

    /** PlacementVerified=False carries a reason of its own, so the condition's status need not be looked at but there. */
    private static boolean isNews(Condition condition) {
        boolean verifiedButFalse = condition.type().equals(ConditionType.PlacementVerified.name())
                && condition.reason().equals(Reason.PlacementVerified.name())
                && !condition.isTrue();
        return TOLD.contains(condition.reason()) && !verifiedButFalse;
    }

    private static EventRecorder.Type type(String reason) {
        return NORMAL.contains(reason) ? EventRecorder.Type.NORMAL : EventRecorder.Type.WARNING;
    }

    /** A sidecar that begins anew and ends up with the segment of before found it when it started. */
    private static boolean isReadopted(@Nullable NumaPlacement before, NumaPlacement now) {
        return before != null
                && before.getStatus() != null
                && now.getStatus().generation() != null
                && Objects.equals(
                        before.getStatus().generation(), now.getStatus().generation())
                && isStarting(before.getStatus().phase())
                && !isStarting(now.getStatus().phase());
    }

    private static boolean isStarting(Phase phase) {
        return phase == Phase.Observing || phase == Phase.Deciding;
    }

    private static List<Condition> conditionsOf(@Nullable NumaPlacement placement) {
        return placement == null || placement.getStatus() == null
                ? List.of()
                : placement.getStatus().conditions();
    }
}
