package io.numabufferpool.server.report;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionStatus;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.PartitionUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.crds.SidecarStatus;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.pool.PoolStatistics;
import io.numabufferpool.server.lifecycle.Problem;
import io.numabufferpool.server.lifecycle.SidecarState;
import io.numabufferpool.server.segment.RangePlacement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds the status of this pod's NumaPlacement; the only place here that builds conditions. For one thread. */
public final class StatusFactory {
    private final NumaBufferPoolSpec spec;
    private final long poolGeneration;
    private final Clock clock;
    private List<Condition> previous = List.of();

    public StatusFactory(NumaBufferPoolSpec spec, long poolGeneration, Clock clock) {
        this.spec = spec;
        this.poolGeneration = poolGeneration;
        this.clock = clock;
    }

    /** The status of that state. {@code sequence} and times aside, the same input gives the same status. */
    public NumaPlacementStatus status(
            SidecarState state,
            Optional<PoolStatistics> statistics,
            ObservationStatus.@Nullable Clients clients,
            SidecarStatus sidecar,
            long sequence) {
        var rows = NodeTable.rows(state, statistics);
        long placed = rows.stream().mapToLong(NumaNodeUsage::placedBytes).sum();
        previous = conditions(state, rows);
        return new NumaPlacementStatus(
                state.phase(),
                state.method().orElse(null),
                state.decision().map(SidecarState.Decision::by).orElse(null),
                placed == 0 ? null : ByteCount.render(placed),
                state.generationText().orElse(null),
                sequence,
                null,
                sidecar,
                state.observation()
                        .map(seen -> PlacementMapping.toApi(seen, clients))
                        .orElse(null),
                rows,
                partitions(state, statistics),
                previous);
    }

    private List<PartitionUsage> partitions(SidecarState state, Optional<PoolStatistics> statistics) {
        if (state.decision().isEmpty() || statistics.isEmpty()) {
            return List.of();
        }
        var decision = state.decision().get().placement();
        if (decision.partitions().size() > NumaPlacementStatus.PARTITIONS_MAX) {
            return List.of();
        }
        return NodeTable.partitions(decision, spec.bufferSize().bytes(), state.ranges(), statistics.get());
    }

    private List<Condition> conditions(SidecarState state, List<NumaNodeUsage> rows) {
        var conditions = new ArrayList<Condition>();
        conditions.add(ready(state));
        conditions.add(nodeSetResolved(state));
        conditions.add(hugePages(state, rows));
        conditions.add(verified(state, rows));
        return conditions.stream().map(condition -> condition.since(previous)).toList();
    }

    private Condition ready(SidecarState state) {
        return switch (state.phase()) {
            case Serving ->
                condition(
                        ConditionType.Ready,
                        ConditionStatus.True,
                        Reason.SegmentServing,
                        "The segment lies as decided and clients may attach.");
            case Replacing ->
                condition(ConditionType.Ready, ConditionStatus.True, Reason.Replacing, problemText(state));
            case Degraded ->
                condition(ConditionType.Ready, ConditionStatus.True, Reason.SegmentDegraded, problemText(state));
            case Failed ->
                condition(ConditionType.Ready, ConditionStatus.False, Reason.SegmentFailed, problemText(state));
            case Observing, Deciding, Placing, Unknown ->
                condition(
                        ConditionType.Ready,
                        ConditionStatus.False,
                        Reason.SegmentNotReady,
                        "The segment is not published yet.");
        };
    }

    private Condition nodeSetResolved(SidecarState state) {
        var problem = state.problem().filter(found -> about(found, ConditionType.NodeSetResolved));
        if (problem.isPresent()) {
            return condition(
                    ConditionType.NodeSetResolved,
                    ConditionStatus.False,
                    problem.get().reason(),
                    problem.get().message());
        }
        if (state.decision().isEmpty()) {
            return condition(
                    ConditionType.NodeSetResolved,
                    ConditionStatus.Unknown,
                    Reason.AwaitingReport,
                    "Nothing is decided yet.");
        }
        var placement = state.decision().get().placement();
        return condition(
                ConditionType.NodeSetResolved,
                ConditionStatus.True,
                placement.dropped().isEmpty() ? Reason.NodeSetResolved : Reason.NodeSetNarrowed,
                placement.why());
    }

    private Condition hugePages(SidecarState state, List<NumaNodeUsage> rows) {
        var type = ConditionType.HugePagesAvailable;
        var problem = state.problem().filter(found -> about(found, type));
        if (problem.isPresent()) {
            return condition(
                    type,
                    ConditionStatus.False,
                    problem.get().reason(),
                    problem.get().message());
        }
        if (spec.hugePages().mode() == HugePageMode.Never) {
            return condition(
                    type,
                    ConditionStatus.True,
                    Reason.HugePagesNotWanted,
                    "spec.hugePages.mode is Never: 4 KiB pages.");
        }
        long placed = rows.stream().mapToLong(NumaNodeUsage::placedBytes).sum();
        long huge = rows.stream().mapToLong(NumaNodeUsage::hugeBytes).sum();
        if (placed == 0) {
            return condition(type, ConditionStatus.Unknown, Reason.AwaitingReport, "No page is placed yet.");
        }
        if (huge == placed) {
            return condition(
                    type,
                    ConditionStatus.True,
                    Reason.HugePagesInUse,
                    "All " + ByteCount.render(placed) + " of buffers lie in huge pages of "
                            + spec.hugePages().size().text() + ".");
        }
        boolean supported =
                state.observation().map(seen -> seen.collapseSupported()).orElse(true);
        return condition(
                type,
                ConditionStatus.False,
                supported ? Reason.CollapseIncomplete : Reason.CollapseUnsupported,
                ByteCount.render(huge) + " of " + ByteCount.render(placed) + " lie in huge pages"
                        + (supported
                                ? "; memory may be too fragmented on that node: use spec.hugePages.mode Reserved where"
                                        + " all of it must be huge."
                                : "; this kernel cannot collapse pages (Linux 6.1 can): use spec.hugePages.mode"
                                        + " Reserved, or a newer kernel."));
    }

    private Condition verified(SidecarState state, List<NumaNodeUsage> rows) {
        var type = ConditionType.PlacementVerified;
        if (state.ranges().isEmpty()) {
            var problem = state.problem().filter(found -> about(found, type));
            return problem.map(found -> condition(type, ConditionStatus.False, found.reason(), found.message()))
                    .orElseGet(() -> condition(
                            type, ConditionStatus.Unknown, Reason.PlacementPending, "The segment is not placed yet."));
        }
        if (state.phase() == Phase.Replacing) {
            return condition(type, ConditionStatus.Unknown, Reason.Replacing, problemText(state));
        }
        if (spec.placement().policy() == PlacementPolicy.None) {
            return condition(
                    type,
                    ConditionStatus.True,
                    Reason.KernelChoice,
                    "spec.placement.policy is None: the kernel chose where the pages are.");
        }
        if (state.ranges().stream().allMatch(RangePlacement::asWanted)) {
            long placed = rows.stream().mapToLong(NumaNodeUsage::placedBytes).sum();
            return condition(
                    type,
                    ConditionStatus.True,
                    Reason.PlacementVerified,
                    "All " + ByteCount.render(placed) + " of buffers lie where they were decided to lie.");
        }
        var reason = state.problem()
                .map(Problem::reason)
                .filter(found -> found.conditionTypes().contains(type))
                .orElse(Reason.PlacementSpilled);
        return condition(type, ConditionStatus.False, reason, problemText(state));
    }

    private static boolean about(Problem problem, ConditionType type) {
        return problem.reason().conditionTypes().contains(type);
    }

    private static String problemText(SidecarState state) {
        return state.problem().map(Problem::message).orElse("See the other conditions.");
    }

    private Condition condition(ConditionType type, ConditionStatus status, Reason reason, String message) {
        return Condition.of(type, status, reason, message, poolGeneration, clock.instant());
    }
}
