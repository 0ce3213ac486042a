package io.numabufferpool.operator.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import java.util.Optional;

/** What the cluster holds, as far as a report is concerned. What is found may be some seconds old. Thread-safe. */
public interface ClusterView {
    /** The pool of that name. */
    Optional<NumaBufferPool> findPool(String namespace, String name);

    /** The pod of that name, whether it carries a pool's label or not. */
    Optional<Pod> findPod(String namespace, String name);

    /** The same past any cache: for when {@link #findPod} shows another pod of that name. */
    Optional<Pod> readPod(String namespace, String name);

    /** The placement of the pod of that name. */
    Optional<NumaPlacement> findPlacement(String namespace, String podName);
}
