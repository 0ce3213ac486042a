package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.Phase;
import io.numabufferpool.server.log.Log;

/** Writes one line for every change that an administrator wants to know. */
final class StateLog implements StateBoard.Listener {
    private final Log log;

    StateLog(Log log) {
        this.log = log;
    }

    @Override
    public void changed(SidecarState before, SidecarState now) {
        if (!now.decision().equals(before.decision())) {
            now.decision()
                    .ifPresent(decision -> log.info(
                            "placement decided",
                            "numaNodes",
                            decision.placement().numaNodes(),
                            "policy",
                            decision.placement().policy(),
                            "method",
                            decision.placement().method(),
                            "decidedBy",
                            decision.by(),
                            "why",
                            decision.placement().why()));
        }
        if (now.phase() == Phase.Replacing) {
            now.problem()
                    .filter(problem -> !now.problem().equals(before.problem()))
                    .ifPresent(problem -> log.info("the segment moves", "progress", problem.message()));
        } else if (!now.problem().equals(before.problem()) && now.problem().isPresent()) {
            var problem = now.problem().get();
            log.warn(
                    "the segment is not as asked for",
                    "phase",
                    now.phase(),
                    "reason",
                    problem.reason(),
                    "problem",
                    problem.message());
        } else if (now.phase() != before.phase()) {
            log.info("phase", "phase", now.phase(), "before", before.phase());
        }
    }
}
