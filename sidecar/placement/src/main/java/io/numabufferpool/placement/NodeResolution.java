package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import java.util.List;

/** Which nodes a request may lie on, or why on none. */
sealed interface NodeResolution permits NodeResolution.Resolved, PlacementProblem {
    /** {@code numaNodes} is never empty. */
    record Resolved(NumaNodeSet numaNodes, List<DroppedNodes> dropped) implements NodeResolution {
        public Resolved {
            dropped = List.copyOf(dropped);
        }
    }
}
