package io.numabufferpool.server.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.PlacementAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code numapool nodes} found, as it is printed with {@code --json}.
 *
 * @param uid of this process
 * @param seccompMode 0: no filter, 2: filtered, as in /proc/self/status
 * @param observation what the planner gets to see
 * @param plannedPool name of the pool that was planned for
 * @param plannedSize its spec.size
 * @param decision where it would lie; absent where it could not
 * @param problem why it could not
 * @param findings settings of the machine that do a pool good or harm
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record NodesReport(
        int uid,
        int seccompMode,
        ObservationStatus observation,
        String plannedPool,
        String plannedSize,
        @Nullable NumaPlacementDecision decision,
        PlacementAnswer.@Nullable Problem problem,
        List<Finding> findings) {
    /** Whether a pool would lie, and stay, where it was planned. */
    boolean clean() {
        return problem == null && findings.stream().noneMatch(one -> one.verdict() == Finding.Verdict.HARM);
    }
}
