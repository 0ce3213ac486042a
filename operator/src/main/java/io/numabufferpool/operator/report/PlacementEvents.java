package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.crds.SidecarStatus;
import io.numabufferpool.operator.cluster.EventRecorder;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
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
        var sidecarBefore = sidecarOf(before);
        var sidecar = sidecarOf(now);
        if (isReadopted(sidecarBefore, sidecar)) {
            recorder.record(
                    pool,
                    pod,
                    EventRecorder.Type.NORMAL,
                    Reason.SidecarReadopted.name(),
                    "The sidecar started again and took over segment "
                            + now.getStatus().generation() + "; clients kept running.");
        }
        long clients = since(sidecarBefore, sidecar, SidecarStatus::clientsReaped);
        if (clients > 0) {
            recorder.record(
                    pool,
                    pod,
                    EventRecorder.Type.NORMAL,
                    Reason.ClientReaped.name(),
                    counted(clients, "client") + " ended without detaching; "
                            + counted(since(sidecarBefore, sidecar, SidecarStatus::pinsReaped), "pin")
                            + " given back, the others kept running.");
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

    /** Another process than the one that reported last, and it found the segment when it started. */
    private static boolean isReadopted(@Nullable SidecarStatus before, @Nullable SidecarStatus now) {
        return now != null
                && now.readopted()
                && (before == null || !before.readopted() || !before.startedAt().equals(now.startedAt()));
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** How much a counter grew since {@code before}; a new process counts from 0. */
    private static long since(
            @Nullable SidecarStatus before, @Nullable SidecarStatus now, ToLongFunction<SidecarStatus> counter) {
        if (now == null) {
            return 0;
        }
        boolean sameProcess = before != null && before.startedAt().equals(now.startedAt());
        return counter.applyAsLong(now) - (sameProcess ? counter.applyAsLong(before) : 0);
    }

    private static @Nullable SidecarStatus sidecarOf(@Nullable NumaPlacement placement) {
        return placement == null || placement.getStatus() == null
                ? null
                : placement.getStatus().sidecar();
    }

    private static List<Condition> conditionsOf(@Nullable NumaPlacement placement) {
        return placement == null || placement.getStatus() == null
                ? List.of()
                : placement.getStatus().conditions();
    }
}
