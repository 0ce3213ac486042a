package io.numabufferpool.operator.bufferpool;

import static io.numabufferpool.crds.ConditionStatus.False;
import static io.numabufferpool.crds.ConditionStatus.True;
import static io.numabufferpool.crds.ConditionStatus.Unknown;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPoolStatus;
import io.numabufferpool.crds.PodCounts;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.operator.bufferpool.PodConditions.Verdict;
import io.numabufferpool.operator.bufferpool.PodState.Severity;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.placement.HugePageMode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A pool's status from its facts. Pure but for the clock, which only dates a condition whose status changes: the same facts
 * give the same status, byte for byte, so nothing is written in vain. Only this class builds a pool's conditions.
 */
final class StatusFactory {
    /** A message names so many pods; the rest is counted. */
    private static final int PODS_NAMED_MAX = 3;

    private final Clock clock;

    StatusFactory(Clock clock) {
        this.clock = clock;
    }

    NumaBufferPoolStatus status(PoolFacts facts) {
        var usage = UsageTables.of(facts.pods());
        int ready = count(facts, Severity.SERVING);
        int degraded = count(facts, Severity.DEGRADED);
        return new NumaBufferPoolStatus(
                facts.generation(),
                PodCounts.of(facts.pods().size(), ready, degraded),
                ByteCount.render(usage.placedBytes()),
                usage.totals(),
                usage.worstPods(),
                conditions(facts));
    }

    private List<Condition> conditions(PoolFacts facts) {
        var status = facts.pool().getStatus();
        var previous = status == null ? List.<Condition>of() : status.conditions();
        var conditions = new ArrayList<Condition>();
        add(conditions, facts, ConditionType.Ready, ready(facts));
        add(conditions, facts, ConditionType.NodeSetResolved, nodeSetResolved(facts));
        add(conditions, facts, ConditionType.HugePagesAvailable, hugePagesAvailable(facts));
        add(conditions, facts, ConditionType.PlacementVerified, placementVerified(facts));
        add(conditions, facts, ConditionType.InjectionActive, injectionActive(facts));
        addProgress(conditions, facts);
        return conditions.stream().map(condition -> condition.since(previous)).toList();
    }

    private void add(List<Condition> conditions, PoolFacts facts, ConditionType type, Verdict verdict) {
        conditions.add(Condition.of(
                type, verdict.status(), verdict.reason(), verdict.message(), facts.generation(), clock.instant()));
    }

    private static Verdict ready(PoolFacts facts) {
        if (facts.invalid().isPresent()) {
            return new Verdict(False, Reason.InvalidSpec, facts.invalid().get());
        }
        var total = facts.pods().size();
        var failed = named(facts, Severity.FAILED);
        var bare = named(facts, Severity.WITHOUT_SIDECAR);
        var silent = named(facts, Severity.UNKNOWN);
        var underWay = named(facts, Severity.ON_ITS_WAY);
        int notReady = failed.size() + bare.size() + underWay.size();
        if (notReady > 0) {
            var parts = new ArrayList<String>();
            addPart(parts, failed, "failed");
            addPart(parts, bare, "without a sidecar");
            addPart(parts, underWay, "on the way");
            return new Verdict(
                    False,
                    Reason.PodsNotReady,
                    notReady + " of " + total + " pods have no serving segment: " + String.join("; ", parts) + "."
                            + failed.stream()
                                    .findFirst()
                                    .flatMap(StatusFactory::why)
                                    .orElse(""));
        }
        if (!silent.isEmpty()) {
            return new Verdict(
                    Unknown,
                    Reason.ReportOverdue,
                    silent.size() + " of " + total + " pods do not report: " + names(silent)
                            + "; look at their sidecars' logs.");
        }
        var degraded = named(facts, Severity.DEGRADED);
        if (!degraded.isEmpty()) {
            return new Verdict(
                    False,
                    Reason.PodsDegraded,
                    degraded.size() + " of " + total + " pods run on a segment that does not lie as decided: "
                            + names(degraded) + "; see status.worstPods.");
        }
        if (!facts.injection().active()) {
            return new Verdict(False, Reason.InjectionMissing, injectionMissing(facts));
        }
        return total == 0
                ? new Verdict(
                        True,
                        Reason.NoPods,
                        "0 pods ask for the pool; label a pod numabufferpool.io/pool: "
                                + facts.pool().getMetadata().getName() + ".")
                : new Verdict(
                        True,
                        Reason.AllPodsReady,
                        (total == 1 ? "1 pod has" : "All " + total + " pods have")
                                + " a segment that serves as decided.");
    }

    /** A failure needs a person: its own words belong where that person looks first. */
    private static Optional<String> why(PodState failed) {
        return UsageTables.wrong(failed).map(condition -> " " + failed.name() + ": " + condition.message());
    }

    private static void addPart(List<String> parts, List<PodState> pods, String what) {
        if (!pods.isEmpty()) {
            parts.add(pods.size() + " " + what + " (" + names(pods) + ")");
        }
    }

    private static Verdict nodeSetResolved(PoolFacts facts) {
        return facts.invalid()
                .map(problem -> new Verdict(False, Reason.InvalidSpec, problem))
                .orElseGet(() -> PodConditions.worst(ConditionType.NodeSetResolved, facts.pods()));
    }

    private static Verdict hugePagesAvailable(PoolFacts facts) {
        var mode = facts.pool().getSpec().hugePages().mode();
        if (mode == HugePageMode.Never) {
            return new Verdict(True, Reason.HugePagesNotWanted, "spec.hugePages.mode is Never: nothing is asked for.");
        }
        var locked = facts.pods().stream()
                .filter(pod -> mode == HugePageMode.Reserved
                        && pod.hasSidecar()
                        && !pod.hasFsGroup()
                        && pod.severity() != Severity.SERVING)
                .toList();
        if (!locked.isEmpty()) {
            return new Verdict(
                    False,
                    Reason.FsGroupMissing,
                    locked.size() + " of " + facts.pods().size() + " pods have no spec.securityContext.fsGroup ("
                            + names(locked)
                            + "), so their sidecar may not write to the huge pages volume; set fsGroup: 65532 in the pod"
                            + " template, or spec.hugePages.mode: Transparent in the pool.");
        }
        return PodConditions.worst(ConditionType.HugePagesAvailable, facts.pods());
    }

    private static Verdict placementVerified(PoolFacts facts) {
        return PodConditions.worst(ConditionType.PlacementVerified, facts.pods());
    }

    private static Verdict injectionActive(PoolFacts facts) {
        if (!facts.injection().active()) {
            return new Verdict(False, Reason.InjectionMissing, injectionMissing(facts));
        }
        var bare = named(facts, Severity.WITHOUT_SIDECAR);
        if (!bare.isEmpty()) {
            return new Verdict(
                    False,
                    Reason.PodsWithoutSidecar,
                    bare.size() + " of " + facts.pods().size()
                            + " pods run without a pool, because they were created while" + " nothing was injected: "
                            + names(bare) + "; restart what made them (kubectl rollout restart).");
        }
        var outdated = matching(facts, pod -> pod.isOutdated(facts.generation()));
        if (!outdated.isEmpty()) {
            return new Verdict(
                    True,
                    Reason.PodsOutdated,
                    outdated.size() + " of " + facts.pods().size() + " pods run with an older generation of the pool: "
                            + names(outdated) + "; restart what made them (kubectl rollout restart) to get generation "
                            + facts.generation() + ".");
        }
        return new Verdict(True, Reason.InjectionActive, "New pods with the pool's label get the sidecar.");
    }

    private static String injectionMissing(PoolFacts facts) {
        return "New pods get no sidecar: " + facts.injection().missing()
                + "; install the chart with injection, on Kubernetes 1.36 or later.";
    }

    /** kstatus: present while true only, and never both. */
    private void addProgress(List<Condition> conditions, PoolFacts facts) {
        if (facts.invalid().isPresent()) {
            add(
                    conditions,
                    facts,
                    ConditionType.Stalled,
                    new Verdict(True, Reason.InvalidSpec, facts.invalid().get()));
            return;
        }
        var underWay = named(facts, Severity.ON_ITS_WAY);
        if (!underWay.isEmpty()) {
            add(
                    conditions,
                    facts,
                    ConditionType.Reconciling,
                    new Verdict(
                            True,
                            Reason.Progressing,
                            underWay.size() + " of " + facts.pods().size() + " pods are on their way: "
                                    + names(underWay) + "."));
            return;
        }
        var failed = named(facts, Severity.FAILED);
        if (!failed.isEmpty()) {
            add(
                    conditions,
                    facts,
                    ConditionType.Stalled,
                    new Verdict(
                            True,
                            Reason.SegmentFailed,
                            failed.size() + " of " + facts.pods().size() + " pods could not make their segment: "
                                    + names(failed) + "; the other conditions say why."));
        }
    }

    private static int count(PoolFacts facts, Severity severity) {
        return named(facts, severity).size();
    }

    private static List<PodState> named(PoolFacts facts, Severity severity) {
        return matching(facts, pod -> pod.severity() == severity);
    }

    private static List<PodState> matching(PoolFacts facts, Predicate<PodState> wanted) {
        return facts.pods().stream().filter(wanted).toList();
    }

    private static String names(List<PodState> pods) {
        var named = pods.stream().limit(PODS_NAMED_MAX).map(PodState::name).collect(Collectors.joining(", "));
        int rest = pods.size() - PODS_NAMED_MAX;
        return rest <= 0 ? named : named + " and " + rest + " more";
    }
}
