package io.numabufferpool.operator.report;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.placement.PlacementReason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a sidecar is answered. A pure function of the pool, the report and what was decided before: any replica gives the
 * same answer. A decision stands until its input changes; free memory is not part of it, because a placed segment itself
 * uses it up.
 */
final class PlacementChoice {
    /** To a sidecar that has not looked around yet, or could not: neither a decision nor a problem of the pool. */
    private static final PlacementAnswer NOTHING_TO_DECIDE = new PlacementAnswer(null, null, null);

    private PlacementChoice() {}

    /**
     * A decision or a problem; {@code before} is the pod's placement as last written, or null. A segment that tells its
     * decision keeps it: its pages lie there, and status must compare with that. One that tells none has seen its input change
     * and asks for the next.
     */
    static PlacementAnswer choose(NumaBufferPool pool, PlacementReport report, @Nullable NumaPlacement before) {
        var seen = report.status().observation();
        if (seen == null) {
            return NOTHING_TO_DECIDE;
        }
        var inForce = report.decision();
        if (inForce != null && report.generation() != null) {
            return PlacementAnswer.of(inForce);
        }
        var standing = standing(pool, report, seen, before);
        return standing.map(PlacementAnswer::of).orElseGet(() -> decide(pool, report, seen));
    }

    /** The same with the pool of now for a sidecar that was injected with an older spec. */
    static PlacementAnswer withPoolNow(PlacementAnswer answer, NumaBufferPool pool, PlacementReport report) {
        long generation = pool.getMetadata().getGeneration();
        return report.pool().generation() < generation
                ? answer.with(new PlacementAnswer.PoolNow(generation, pool.getSpec()))
                : answer;
    }

    private static Optional<NumaPlacementDecision> standing(
            NumaBufferPool pool, PlacementReport report, ObservationStatus now, @Nullable NumaPlacement before) {
        if (before == null || before.getSpec() == null || before.getStatus() == null) {
            return Optional.empty();
        }
        var spec = before.getSpec();
        var decision = spec.decision();
        if (decision == null || !spec.pod().uid().equals(report.pod().uid())) {
            return Optional.empty();
        }
        long generation = pool.getMetadata().getGeneration();
        boolean sidecarWorksFromAnOlderSpec = report.pool().generation() != generation;
        boolean decidedFromTheSameSpec =
                spec.pool().generation() == report.pool().generation();
        var seen = before.getStatus().observation();
        boolean sameInput = seen != null && isSameInput(seen, now);
        return decidedFromTheSameSpec && (sidecarWorksFromAnOlderSpec || sameInput)
                ? Optional.of(decision)
                : Optional.empty();
    }

    private static boolean isSameInput(ObservationStatus before, ObservationStatus now) {
        return withoutWhatMoves(before).equals(withoutWhatMoves(now));
    }

    private static ObservationStatus withoutWhatMoves(ObservationStatus observation) {
        List<ObservationStatus.ObservedNode> numaNodes = observation.numaNodes().stream()
                .map(node -> new ObservationStatus.ObservedNode(
                        node.numaNode(),
                        node.cpus(),
                        node.memoryBytes(),
                        0,
                        List.of(),
                        node.distances(),
                        node.interleaveWeight()))
                .toList();
        return new ObservationStatus(
                numaNodes,
                observation.memsAllowed(),
                observation.cpusAllowed(),
                observation.mbindAllowed(),
                observation.taskPolicyNodes(),
                observation.collapseSupported(),
                observation.kernelRelease(),
                observation.memoryLimitBytes(),
                null);
    }

    private static PlacementAnswer decide(NumaBufferPool pool, PlacementReport report, ObservationStatus seen) {
        try {
            var request = PlacementMapping.toRequest(pool.getSpec());
            var observation = PlacementMapping.toObservation(seen).withFree(ownBytes(report));
            return switch (PlacementPlanner.plan(request, observation)) {
                case PlacementProblem problem ->
                    PlacementAnswer.refused(problem.reason().name(), problem.message());
                case PlacementDecision decision -> PlacementAnswer.of(asInForce(decision, report.decision()));
            };
        } catch (IllegalArgumentException invalidSpec) {
            return PlacementAnswer.refused(
                    PlacementReason.InvalidSpec.name(), String.valueOf(invalidSpec.getMessage()));
        }
    }

    /** What a segment that is to be placed anew gives back first. */
    private static Map<Integer, Long> ownBytes(PlacementReport report) {
        return report.generation() == null
                ? Map.of()
                : report.status().numaNodes().stream()
                        .filter(row -> row.numaNode() >= 0)
                        .collect(Collectors.toMap(NumaNodeUsage::numaNode, NumaNodeUsage::placedBytes, Long::sum));
    }

    /** A sidecar that had to decide alone did it by the same function: its decision stays, with who made it. */
    private static NumaPlacementDecision asInForce(
            PlacementDecision decision, @Nullable NumaPlacementDecision inForce) {
        boolean sidecarsOwn = inForce != null
                && inForce.decidedBy() == DecidedBy.Sidecar
                && PlacementMapping.toApi(decision, DecidedBy.Sidecar).equals(inForce);
        return PlacementMapping.toApi(decision, sidecarsOwn ? DecidedBy.Sidecar : DecidedBy.Operator);
    }
}
