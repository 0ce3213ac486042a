package io.numabufferpool.operator.bufferpool;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionStatus;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.Reason;
import java.util.Comparator;
import java.util.List;

/**
 * One condition of a pool from the same condition of its pods: as bad as the worst of them, explained by that pod's own
 * message. Pure; the pods come sorted by name, so the same pods give the same text.
 */
final class PodConditions {
    private PodConditions() {}

    /** What is said of a pool: a condition without its times. */
    record Verdict(ConditionStatus status, Reason reason, String message) {}

    private record Voice(String pod, ConditionStatus status, String reason, String message) {
        /** False before Unknown before a True that has something to say before a plain True. */
        int rank() {
            return switch (status) {
                case False -> 0;
                case Unknown -> 1;
                case True -> reason.equals(Reason.NodeSetNarrowed.name()) ? 2 : 3;
            };
        }
    }

    static Verdict worst(ConditionType type, List<PodState> pods) {
        if (pods.isEmpty()) {
            return new Verdict(ConditionStatus.Unknown, Reason.NoPods, "No pod asks for the pool yet.");
        }
        var voices = pods.stream().map(pod -> voice(type, pod)).toList();
        var worst = voices.stream().min(Comparator.comparingInt(Voice::rank)).orElseThrow();
        long same = voices.stream()
                .filter(voice ->
                        voice.status() == worst.status() && voice.reason().equals(worst.reason()))
                .count();
        var count = same == pods.size()
                ? (same == 1 ? "" : "All " + same + " pods, such as ")
                : same + " of " + pods.size() + " pods, such as ";
        return new Verdict(worst.status(), reason(worst.reason()), count + worst.pod() + ": " + worst.message());
    }

    private static Voice voice(ConditionType type, PodState pod) {
        return pod.condition(type)
                .map(condition -> new Voice(pod.name(), status(condition), condition.reason(), condition.message()))
                .orElseGet(() -> new Voice(
                        pod.name(),
                        ConditionStatus.Unknown,
                        Reason.AwaitingReport.name(),
                        pod.hasSidecar()
                                ? "its sidecar has not reported yet."
                                : "it has no sidecar, so nothing is known of it."));
    }

    private static ConditionStatus status(Condition condition) {
        return switch (condition.status()) {
            case "True" -> ConditionStatus.True;
            case "False" -> ConditionStatus.False;
            default -> ConditionStatus.Unknown;
        };
    }

    /** A newer sidecar may know reasons that this operator does not: its message still says what it is. */
    private static Reason reason(String text) {
        for (var reason : Reason.values()) {
            if (reason.name().equals(text)) {
                return reason;
            }
        }
        return Reason.AwaitingReport;
    }
}
