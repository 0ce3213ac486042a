package io.numabufferpool.operator.bufferpool;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPoolStatus;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PodUsage;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.operator.bufferpool.PodState.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The tables of a pool's status: totals per NUMA node, and the pods that are worst off with a table each. Immutable.
 *
 * @param totals per NUMA node over all pods, ascending
 * @param worstPods worst first, then by spilled bytes, then by name; healthy pods fill what room is left
 */
record UsageTables(List<NumaNodeUsage> totals, List<PodUsage> worstPods) {
    /** Rows of all tables together: at about 500 bytes each a status stays below 64 KiB. */
    static final int ROWS_MAX = 96;

    /** The whole message stands in the pod's NumaPlacement. */
    private static final int MESSAGE_CHARS_MAX = 300;

    private static final List<ConditionType> WHAT_CAN_BE_WRONG = List.of(
            ConditionType.NodeSetResolved,
            ConditionType.HugePagesAvailable,
            ConditionType.PlacementVerified,
            ConditionType.Ready);

    static UsageTables of(List<PodState> pods) {
        var totals = NumaNodeUsage.total(
                pods.stream().flatMap(pod -> pod.numaNodes().stream()).toList());
        int rowsLeft = Math.max(0, ROWS_MAX - totals.size());
        var worst = pods.stream()
                .sorted(Comparator.comparing(PodState::severity)
                        .thenComparing(
                                Comparator.comparingLong(PodState::spilledBytes).reversed())
                        .thenComparing(PodState::name))
                .limit(NumaBufferPoolStatus.WORST_PODS_MAX)
                .toList();
        var rows = new ArrayList<PodUsage>();
        for (var pod : worst) {
            boolean fits = pod.numaNodes().size() <= rowsLeft;
            rows.add(row(pod, fits ? pod.numaNodes() : List.of()));
            rowsLeft -= fits ? pod.numaNodes().size() : 0;
        }
        return new UsageTables(totals, rows);
    }

    long placedBytes() {
        return totals.stream().mapToLong(NumaNodeUsage::placedBytes).sum();
    }

    private static PodUsage row(PodState pod, List<NumaNodeUsage> numaNodes) {
        var wrong = wrong(pod);
        return new PodUsage(
                pod.name(),
                pod.kubeNode(),
                pod.phase().orElse(null),
                wrong.map(Condition::reason).orElse(reasonWithoutReport(pod)),
                wrong.map(condition -> shortened(condition.message())).orElse(messageWithoutReport(pod)),
                numaNodes);
    }

    /** What is wrong with a pod that does not serve, the most telling condition first. */
    static Optional<Condition> wrong(PodState pod) {
        if (pod.phase().filter(phase -> phase == Phase.Serving).isPresent()) {
            return Optional.empty();
        }
        return WHAT_CAN_BE_WRONG.stream()
                .flatMap(type -> pod.condition(type).stream())
                .filter(condition -> !condition.isTrue())
                .findFirst();
    }

    private static @org.jspecify.annotations.Nullable String reasonWithoutReport(PodState pod) {
        if (pod.severity() == Severity.WITHOUT_SIDECAR) {
            return Reason.PodsWithoutSidecar.name();
        }
        return pod.status().isEmpty() ? Reason.AwaitingReport.name() : null;
    }

    private static @org.jspecify.annotations.Nullable String messageWithoutReport(PodState pod) {
        if (pod.severity() == Severity.WITHOUT_SIDECAR) {
            return "The pod runs without a pool; delete it, its controller makes a new one.";
        }
        return pod.status().isEmpty() ? "The sidecar has not reported yet." : null;
    }

    private static String shortened(String message) {
        return message.length() <= MESSAGE_CHARS_MAX ? message : message.substring(0, MESSAGE_CHARS_MAX - 3) + "...";
    }
}
