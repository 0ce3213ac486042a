package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.server.lifecycle.SidecarState.Decision;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.report.Reporter;
import io.numabufferpool.server.segment.PlacementFailed;
import io.numabufferpool.server.segment.StopSignal;
import java.time.Duration;
import java.util.Optional;

/**
 * Gets a decision: the operator's if it answers within {@link #WAIT_MAX}, else this sidecar's own by the same function, so
 * that no pod fails to start because the operator is away. For one thread.
 */
final class Decider {
    /** How long a pod's start may be held up by an operator that is away. */
    static final Duration WAIT_MAX = Duration.ofSeconds(10);

    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

    private final PlacementRequest request;
    private final Optional<Reporter> reporter;
    private final StopSignal stop;
    private final Log log;

    Decider(PlacementRequest request, Optional<Reporter> reporter, StopSignal stop, Log log) {
        this.request = request;
        this.reporter = reporter;
        this.stop = stop;
        this.log = log;
    }

    /** The decision for what was seen. @throws PlacementFailed where there is none, with the fix */
    Decision decide(Observation observation) {
        var answer = reporter.flatMap(this::ask);
        if (answer.isEmpty()) {
            return decideAlone(observation);
        }
        var problem = answer.get().problem();
        if (problem != null) {
            throw new PlacementFailed(reason(problem.reason()), problem.message());
        }
        var decision = answer.get().decision();
        if (decision == null) {
            log.warn("the operator's answer has neither a decision nor a problem");
            return decideAlone(observation);
        }
        try {
            return new Decision(PlacementMapping.toDecision(decision, request), DecidedBy.Operator);
        } catch (IllegalArgumentException otherGeneration) {
            log.warn("the operator's decision does not fit this pod's pool", "reason", otherGeneration.getMessage());
            return decideAlone(observation);
        }
    }

    private Optional<PlacementAnswer> ask(Reporter operator) {
        long until = System.nanoTime() + WAIT_MAX.toNanos();
        var answer = operator.ask();
        // A missing CA delays nothing: mounted late, it would come after minutes.
        while (answer.isEmpty() && operator.operatorKnown() && System.nanoTime() + RETRY_PAUSE.toNanos() < until) {
            stop.pause(RETRY_PAUSE);
            answer = operator.ask();
        }
        return answer;
    }

    private Decision decideAlone(Observation observation) {
        return switch (PlacementPlanner.plan(request, observation)) {
            case PlacementDecision decision -> new Decision(decision, DecidedBy.Sidecar);
            case PlacementProblem problem -> throw new PlacementFailed(Reason.of(problem.reason()), problem.message());
        };
    }

    /** An operator of a newer release may know more reasons. */
    private static Reason reason(String name) {
        for (var reason : Reason.values()) {
            if (reason.name().equals(name)) {
                return reason;
            }
        }
        return Reason.SegmentFailed;
    }
}
