package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.LivePlan;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.server.lifecycle.SegmentMaker.Made;
import io.numabufferpool.server.lifecycle.SidecarState.Decision;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.segment.ControlRanges;
import io.numabufferpool.server.segment.PlacementFailed;
import io.numabufferpool.server.segment.Progress;
import io.numabufferpool.server.segment.SegmentFile;
import io.numabufferpool.server.segment.SegmentMover;
import io.numabufferpool.server.segment.SegmentMover.Moved;
import io.numabufferpool.server.segment.StopSignal;
import io.numabufferpool.server.segment.WindowSet;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Keeps a published segment where it belongs while clients use it: when what the container may use changes, or the pool's
 * spec does, there is a new decision, and the segment follows it; pages that the kernel moved go back. For one thread.
 */
final class SegmentKeeper {
    /** Reports and log lines about progress come this often. */
    private static final Duration PROGRESS_PERIOD = Duration.ofSeconds(2);

    /** Between tries to bring back what the kernel moves: doubled from the first to the last, or both would move it for ever. */
    private static final Duration REPAIR_FIRST = Duration.ofSeconds(30);

    private static final Duration REPAIR_LAST = Duration.ofHours(1);

    private final Linux linux;
    private final SegmentMaker maker;
    private final LiveSegment segment;
    private final Verification verification;
    private final StateBoard board;
    private final Deciding deciding;
    private final Followed followed;
    private final Consumer<PlacementDecision> moved;
    private final StopSignal stop;
    private final Log log;

    private NumaBufferPoolSpec spec;
    private long poolGeneration;
    private SegmentRecord record;
    private boolean unfinished;
    private Optional<SpecUpdates.Update> wanted = Optional.empty();
    private volatile Optional<Problem> undecided = Optional.empty();
    private Duration pause = REPAIR_FIRST;
    private long notBeforeNanos = System.nanoTime();
    private long toldNanos;

    /** Makes a decision for what is seen. */
    interface Deciding {
        /** The decision for what is seen. @throws PlacementFailed where there is none */
        Decision decide(PlacementRequest request, Observation seen);
    }

    /** Hears which spec the segment follows. */
    interface Followed {
        void spec(long generation, NumaBufferPoolSpec spec);
    }

    /** {@code followed}: hears it with every decision. {@code moved}: gets every decision that the segment has followed. */
    SegmentKeeper(
            Linux linux,
            SegmentMaker maker,
            Made made,
            Verification verification,
            StateBoard board,
            Deciding deciding,
            Followed followed,
            Consumer<PlacementDecision> moved,
            StopSignal stop,
            Log log) {
        this.linux = linux;
        this.maker = maker;
        this.segment = made.segment();
        this.record = made.record();
        this.spec = record.spec();
        this.poolGeneration = record.poolGeneration();
        this.verification = verification;
        this.board = board;
        this.deciding = deciding;
        this.followed = followed;
        this.moved = moved;
        this.stop = stop;
        this.log = log;
        followed.spec(poolGeneration, spec);
        // An earlier process may have died in the middle of it.
        this.unfinished = !made.decision().placement().equals(target());
    }

    private PlacementDecision target() {
        return record.toDecision().placement();
    }

    /** The pool's spec is another one. Followed at the next look, where the segment in use can. */
    void specChanged(long generation, NumaBufferPoolSpec next) {
        if (generation <= poolGeneration && next.equals(spec)) {
            return;
        }
        var difference = LiveSpec.needsRestart(spec, next);
        if (difference.isPresent()) {
            log.warn("the pool's new spec is not followed", "reason", difference.get());
            wanted = Optional.empty();
        } else {
            wanted = Optional.of(new SpecUpdates.Update(generation, next));
        }
    }

    /** Looks whether there is something to do, and does it. */
    void look(Observation seen) {
        if (wanted.isPresent() || !SegmentRecord.input(seen).equals(record.decidedFor())) {
            decide(seen);
        }
        boolean mayTry = System.nanoTime() - notBeforeNanos >= 0;
        if (mayTry && (unfinished || mayRepair(seen))) {
            carryOut(seen);
        }
    }

    /** Why there is no decision for what the container may use now. */
    Optional<Problem> problem() {
        return undecided;
    }

    private void decide(Observation seen) {
        var next = wanted.map(SpecUpdates.Update::spec).orElse(spec);
        var request = PlacementMapping.toRequest(next);
        try {
            var decision = deciding.decide(request, seen);
            switch (LivePlan.adapt(target(), decision.placement(), request)) {
                case PlacementProblem problem ->
                    log.warn("the pool's new spec is not followed", "reason", problem.message());
                case PlacementDecision placement -> {
                    wanted.ifPresent(update -> poolGeneration = update.generation());
                    spec = next;
                    follow(new Decision(placement, decision.by()), seen);
                }
            }
            wanted = Optional.empty();
            undecided = Optional.empty();
        } catch (PlacementFailed failed) {
            // Asked again at the next look: the operator, or the machine, may have another answer then.
            undecided = Optional.of(new Problem(failed.reason(), String.valueOf(failed.getMessage())));
            trouble(undecided.get());
        }
    }

    private void follow(Decision next, Observation seen) {
        var before = target();
        record = record.moved(next, seen, poolGeneration, spec);
        maker.creator().replaceDecision(record.toJson());
        followed.spec(poolGeneration, spec);
        unfinished |= !next.placement().partitions().equals(before.partitions())
                || !next.placement().shares().equals(before.shares());
        board.change(state -> state.decided(next));
        if (!unfinished) {
            verification.count();
        }
    }

    private void trouble(Problem problem) {
        board.change(state -> state.serving(Phase.Degraded, state.generation(), Optional.of(problem)));
    }

    /**
     * Whether pages lie elsewhere and the nodes where they belong have room for them: else a try would evict pages for nothing.
     * The control file cannot be moved, and reserved pages are moved by nobody but a change of the allowed nodes.
     */
    private boolean mayRepair(Observation seen) {
        if (record.decision().policy() == PlacementPolicy.None
                || spec.hugePages().mode() == HugePageMode.Reserved) {
            return false;
        }
        var missing = new TreeMap<Integer, Long>();
        board.state().ranges().stream()
                .filter(range -> range.range().file() == SegmentFile.BUFFERS)
                .forEach(range -> range.range()
                        .wantedBytes()
                        .forEach((node, bytes) ->
                                missing.merge(node, bytes - range.placedBytes().getOrDefault(node, 0L), Long::sum)));
        missing.values().removeIf(bytes -> bytes <= 0);
        return !missing.isEmpty()
                && missing.entrySet().stream()
                        .allMatch(node -> seen.topology()
                                .find(node.getKey())
                                .filter(found -> found.freeBytes() >= node.getValue())
                                .isPresent());
    }

    private void carryOut(Observation seen) {
        boolean repairs = !unfinished;
        if (!repairs) {
            pause = REPAIR_FIRST;
        }
        var target = target();
        tell(target, 0, 0, Optional.empty());
        countThrough(seen);
        Moved moving;
        try {
            moving = move(seen, target);
            unfinished = !moving.done();
        } catch (PlacementFailed failed) {
            unfinished = true;
            countThrough(seen);
            verification.count();
            trouble(new Problem(failed.reason(), String.valueOf(failed.getMessage())));
            backOff();
            return;
        } catch (PoolException.NoFreeSlot | PoolException.Stuck busy) {
            // Of clients that are alive: the pool goes on as it is, and the next look tries again.
            unfinished = true;
            countThrough(seen);
            tell(target, 0, 0, Optional.of(String.valueOf(busy.getMessage())));
            return;
        }
        countThrough(seen);
        if (unfinished) {
            tell(target, moving.movedBytes(), moving.movedBytes() + moving.leftBytes(), moving.waitsFor());
        } else {
            board.change(state -> state.serving(Phase.Serving, state.generation(), Optional.empty()));
            log.info("the segment lies as decided", "numaNodes", target.numaNodes(), "movedBytes", moving.movedBytes());
        }
        verification.count();
        if (repairs) {
            backOff();
        }
        moved.accept(target);
    }

    private void backOff() {
        notBeforeNanos = System.nanoTime() + pause.toNanos();
        var doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(REPAIR_LAST) > 0 ? REPAIR_LAST : doubled;
    }

    private Moved move(Observation seen, PlacementDecision target) {
        var pool = segment.pool();
        var request = PlacementMapping.toRequest(spec);
        var plan = maker.plan(seen);
        var now = SegmentPlan.withCounts(target, pool.bufferCounts());
        var descriptors =
                ControlRanges.added(plan.layout(record.withCounts(pool.descriptorCounts())), plan.layout(record));
        var mover = new SegmentMover(
                linux,
                maker.placer(seen, Progress.SILENT),
                segment.files().byKind(),
                request,
                verification::exclusively,
                stop);
        try (var retirement = pool.retirement()) {
            return mover.move(retirement, now, target, descriptors, (doneBytes, totalBytes, waitsFor) -> {
                if (System.nanoTime() - toldNanos >= PROGRESS_PERIOD.toNanos()) {
                    tell(target, doneBytes, totalBytes, waitsFor);
                }
            });
        }
    }

    private void tell(PlacementDecision target, long doneBytes, long totalBytes, Optional<String> waitsFor) {
        toldNanos = System.nanoTime();
        var progress = totalBytes == 0
                ? ""
                : " " + ByteCount.render(doneBytes) + " done, " + ByteCount.render(totalBytes - doneBytes) + " to go.";
        long bytes = target.partitions().stream()
                .mapToLong(plan -> plan.bufferCount() * spec.bufferSize().bytes())
                .sum();
        var message = "The segment becomes " + ByteCount.render(bytes) + " on "
                + (target.numaNodes().size() == 1 ? "NUMA node " : "NUMA nodes ") + target.numaNodes()
                + " while clients use it." + progress
                + waitsFor.map(who -> " " + who + ".").orElse("");
        board.change(state -> state.serving(
                Phase.Replacing, state.generation(), Optional.of(new Problem(Reason.Replacing, message))));
    }

    /** Counting reads every page, and a read gives a frame to a hole: only through what is populated for sure. */
    private void countThrough(Observation seen) {
        var populated = SegmentPlan.common(target(), segment.pool().bufferCounts());
        var ranges = maker.plan(seen).ranges(record, populated);
        verification.exclusively(() -> segment.countThrough(WindowSet.map(
                linux,
                ranges,
                segment.files().byKind(),
                PlacementMapping.toRequest(spec).hugePageBytes())));
    }
}
