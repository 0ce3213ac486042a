package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionStatus;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.NumaPlacementSpec;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.operator.cluster.Labels;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The NumaPlacement that follows from a report and its answer, as a value. Who it belongs to comes from the pod, not the report. */
final class PlacementRecord {
    private PlacementRecord() {}

    static NumaPlacement render(
            NumaBufferPool pool,
            Pod pod,
            PlacementReport report,
            PlacementAnswer answer,
            @Nullable NumaPlacement before,
            Instant now) {
        var placement = new NumaPlacement();
        placement.setMetadata(new ObjectMetaBuilder()
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .addToLabels(Labels.POOL, pool.getMetadata().getName())
                .addToLabels(Labels.MANAGED_BY, Labels.OPERATOR)
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .build())
                .build());
        placement.setSpec(new NumaPlacementSpec(
                new PoolReference(
                        pool.getMetadata().getName(),
                        pool.getMetadata().getUid(),
                        report.pool().generation()),
                new PodReference(
                        pod.getMetadata().getNamespace(),
                        pod.getMetadata().getName(),
                        pod.getMetadata().getUid(),
                        pod.getSpec().getNodeName()),
                answer.decision()));
        placement.setStatus(status(report, answer, before, now));
        return placement;
    }

    private static NumaPlacementStatus status(
            PlacementReport report, PlacementAnswer answer, @Nullable NumaPlacement before, Instant now) {
        var told = report.status();
        var previous = before == null || before.getStatus() == null
                ? List.<Condition>of()
                : before.getStatus().conditions();
        var inForce = report.decision();
        return new NumaPlacementStatus(
                told.phase(),
                told.method(),
                inForce == null ? told.decidedBy() : inForce.decidedBy(),
                told.placed(),
                generation(report, before),
                report.sequence(),
                now.truncatedTo(ChronoUnit.SECONDS).toString(),
                told.sidecar(),
                told.observation(),
                told.numaNodes(),
                told.partitions(),
                conditions(told.conditions(), answer, previous, report.pool().generation(), now));
    }

    /** A restarted sidecar does not know the segment yet that it is about to take over: the old one counts meanwhile. */
    private static @Nullable String generation(PlacementReport report, @Nullable NumaPlacement before) {
        var told = report.generation();
        return told != null || before == null || before.getStatus() == null
                ? told
                : before.getStatus().generation();
    }

    /** The sidecar's own, and instead of it the operator's where the decision is concerned. Sorted by type. */
    private static List<Condition> conditions(
            List<Condition> told, PlacementAnswer answer, List<Condition> previous, long generation, Instant now) {
        var conditions = new ArrayList<Condition>();
        var decided = verdict(answer, generation, now);
        told.stream()
                .filter(condition -> decided.isEmpty()
                        || !condition.type().equals(decided.get().type()))
                .forEach(conditions::add);
        decided.ifPresent(conditions::add);
        return conditions.stream()
                .map(condition -> condition.since(previous))
                .sorted(Comparator.comparing(Condition::type))
                .toList();
    }

    private static Optional<Condition> verdict(PlacementAnswer answer, long generation, Instant now) {
        var decision = answer.decision();
        if (decision != null) {
            var reason = decision.dropped().isEmpty() ? Reason.NodeSetResolved : Reason.NodeSetNarrowed;
            return Optional.of(Condition.of(
                    ConditionType.NodeSetResolved, ConditionStatus.True, reason, why(decision), generation, now));
        }
        var problem = answer.problem();
        if (problem == null) {
            return Optional.empty();
        }
        var reason = Reason.valueOf(problem.reason());
        var type = reason.conditionTypes().contains(ConditionType.HugePagesAvailable)
                ? ConditionType.HugePagesAvailable
                : ConditionType.NodeSetResolved;
        return Optional.of(Condition.of(type, ConditionStatus.False, reason, problem.message(), generation, now));
    }

    private static String why(NumaPlacementDecision decision) {
        return decision.why();
    }
}
