package io.numabufferpool.operator.bufferpool;

import io.numabufferpool.crds.NumaBufferPool;
import java.util.List;
import java.util.Optional;

/**
 * Everything a pool's status follows from. Immutable.
 *
 * @param pool with the status as it stands
 * @param pods those that still ask for the pool, sorted by name
 * @param injection whether new pods get the sidecar
 * @param invalid why the spec cannot be worked with; empty where it can
 */
record PoolFacts(NumaBufferPool pool, List<PodState> pods, InjectionState injection, Optional<String> invalid) {
    PoolFacts {
        pods = List.copyOf(pods);
    }

    long generation() {
        return pool.getMetadata().getGeneration();
    }
}
