package io.numabufferpool.operator.bufferpool;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.operator.cluster.Labels;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One labelled pod together with its placement, as far as a pool's status asks. Immutable. */
record PodState(Pod pod, @Nullable NumaPlacement placement) {

    /** Worst first: the order in which pods are listed. */
    enum Severity {
        WITHOUT_SIDECAR,
        FAILED,
        UNKNOWN,
        DEGRADED,
        ON_ITS_WAY,
        SERVING
    }

    String name() {
        return pod.getMetadata().getName();
    }

    @Nullable
    String kubeNode() {
        return pod.getSpec().getNodeName();
    }

    /** Whether the pod still asks for its pool: neither finished nor on its way out. */
    boolean isWanted() {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return pod.getMetadata().getDeletionTimestamp() == null
                && !"Succeeded".equals(phase)
                && !"Failed".equals(phase);
    }

    boolean hasSidecar() {
        return pod.getSpec().getInitContainers().stream()
                .map(Container::getName)
                .anyMatch(ResourceNames.SIDECAR::equals);
    }

    boolean hasFsGroup() {
        var context = pod.getSpec().getSecurityContext();
        return context != null && context.getFsGroup() != null;
    }

    /** Whether injection worked from another generation of the pool than this one, and the segment does not follow it. */
    boolean isOutdated(long generation) {
        var annotations = pod.getMetadata().getAnnotations();
        var injected = annotations == null ? null : annotations.get(Labels.POOL_GENERATION);
        return hasSidecar() && injected != null && !injected.equals(Long.toString(generation)) && !follows(generation);
    }

    /** A segment in use follows what it can of a newer spec. */
    private boolean follows(long generation) {
        return ofThisPod()
                .filter(mine -> mine.getSpec().pool().generation() == generation)
                .isPresent();
    }

    /** The status of this very pod's placement. */
    Optional<NumaPlacementStatus> status() {
        return ofThisPod().map(NumaPlacement::getStatus);
    }

    /** One left over from a pod of the same name does not count. */
    private Optional<NumaPlacement> ofThisPod() {
        return Optional.ofNullable(placement)
                .filter(found -> found.getSpec() != null
                        && found.getSpec().pod().uid().equals(pod.getMetadata().getUid()));
    }

    Optional<Phase> phase() {
        return status().map(NumaPlacementStatus::phase);
    }

    Optional<Condition> condition(ConditionType type) {
        return status().flatMap(status -> Condition.find(status.conditions(), type));
    }

    List<NumaNodeUsage> numaNodes() {
        return status().map(NumaPlacementStatus::numaNodes).orElse(List.of());
    }

    long spilledBytes() {
        return numaNodes().stream().mapToLong(NumaNodeUsage::spilledBytes).sum();
    }

    Severity severity() {
        if (!hasSidecar()) {
            return Severity.WITHOUT_SIDECAR;
        }
        return phase().map(phase -> switch (phase) {
                    case Failed -> Severity.FAILED;
                    case Unknown -> Severity.UNKNOWN;
                    case Degraded, Replacing -> Severity.DEGRADED;
                    case Observing, Deciding, Placing -> Severity.ON_ITS_WAY;
                    case Serving -> Severity.SERVING;
                })
                .orElse(Severity.ON_ITS_WAY);
    }
}
