package io.numabufferpool.operator.placement;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionStatus;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a placement's sidecar can still be heard, and what its status says when it cannot. Pure functions. */
final class Overdue {
    private static final Set<String> VOUCHED_FOR =
            Set.of(ConditionType.Ready.name(), ConditionType.PlacementVerified.name());

    private Overdue() {}

    /** Why nobody can vouch for the placement, as half a sentence; empty where its sidecar runs. */
    static Optional<String> reason(NumaPlacement placement, @Nullable Pod pod) {
        var owner =
                placement.getSpec() == null ? null : placement.getSpec().pod().uid();
        if (pod == null || !pod.getMetadata().getUid().equals(owner)) {
            return Optional.of("its pod is gone");
        }
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        if ("Succeeded".equals(phase) || "Failed".equals(phase)) {
            return Optional.of("its pod has finished (" + phase + ")");
        }
        if (isNodeLost(pod)) {
            return Optional.of("the kubelet of " + pod.getSpec().getNodeName() + " does not answer");
        }
        return sidecar(pod)
                .filter(status -> status.getState().getRunning() == null)
                .map(Overdue::whyNotRunning);
    }

    private static boolean isNodeLost(Pod pod) {
        return pod.getStatus() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("Unknown"));
    }

    private static Optional<ContainerStatus> sidecar(Pod pod) {
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getInitContainerStatuses().stream()
                        .filter(status -> status.getName().equals(ResourceNames.SIDECAR) && status.getState() != null)
                        .findFirst();
    }

    private static String whyNotRunning(ContainerStatus sidecar) {
        var waiting = sidecar.getState().getWaiting();
        if (waiting != null) {
            return "its sidecar is waiting (" + waiting.getReason() + ")";
        }
        var ended = sidecar.getState().getTerminated();
        return ended == null
                ? "its sidecar is not running"
                : "its sidecar ended with exit code " + ended.getExitCode() + " (" + ended.getReason() + ")";
    }

    /** The same status, no longer vouched for: numbers stay as they were last told, and say of when they are. */
    static NumaPlacementStatus marked(
            NumaPlacementStatus status, String reason, @Nullable Long generation, Instant now) {
        var message = "Nobody vouches for these numbers: " + reason + ". They are of "
                + (status.reportedAt() == null ? "an unknown time" : status.reportedAt())
                + "; the next report replaces them.";
        var conditions = new ArrayList<Condition>();
        status.conditions().stream()
                .filter(condition -> !VOUCHED_FOR.contains(condition.type()))
                .forEach(conditions::add);
        for (var type : List.of(ConditionType.Ready, ConditionType.PlacementVerified)) {
            var unknown = Condition.of(type, ConditionStatus.Unknown, Reason.ReportOverdue, message, generation, now);
            conditions.add(unknown.since(status.conditions()));
        }
        return new NumaPlacementStatus(
                Phase.Unknown,
                status.method(),
                status.decidedBy(),
                status.placed(),
                status.generation(),
                status.sequence(),
                status.reportedAt(),
                status.sidecar(),
                status.observation(),
                status.numaNodes(),
                status.partitions(),
                sorted(conditions));
    }

    private static List<Condition> sorted(List<Condition> conditions) {
        return conditions.stream().sorted(Comparator.comparing(Condition::type)).toList();
    }
}
