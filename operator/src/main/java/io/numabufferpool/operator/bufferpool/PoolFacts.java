package io.numabufferpool.operator.bufferpool;

import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaBufferPoolSpecChecks;
import io.numabufferpool.crds.NumaPlacement;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

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

    /** From what the caches hold: labelled pods in any state, placements in any order. */
    static PoolFacts of(
            NumaBufferPool pool, Collection<Pod> pods, Collection<NumaPlacement> placements, InjectionState injection) {
        Map<String, NumaPlacement> placementOf = placements.stream()
                .collect(Collectors.toMap(placement -> placement.getMetadata().getName(), Function.identity()));
        var states = pods.stream()
                .map(pod -> new PodState(pod, placementOf.get(pod.getMetadata().getName())))
                .filter(PodState::isWanted)
                .sorted(Comparator.comparing(PodState::name))
                .toList();
        var problems = NumaBufferPoolSpecChecks.check(pool.getMetadata().getName(), pool.getSpec());
        var invalid = problems.isEmpty() ? Optional.<String>empty() : Optional.of(String.join(" ", problems));
        return new PoolFacts(pool, states, injection, invalid);
    }

    long generation() {
        return pool.getMetadata().getGeneration();
    }
}
