package io.numabufferpool.operator.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the reconcilers' caches show it; what they do not have yet is asked of the API server, because a new pod's
 * first report may be faster than the watch. Thread-safe.
 */
public final class CachedCluster implements ClusterView {
    private final KubernetesClient client;
    private volatile @Nullable Caches caches;

    private record Caches(Cache<NumaBufferPool> pools, Cache<NumaPlacement> placements, Cache<Pod> pods) {}

    public CachedCluster(KubernetesClient client) {
        this.client = client;
    }

    /** Called once, when the reconciler's event sources are made. */
    public void attach(Cache<NumaBufferPool> pools, Cache<NumaPlacement> placements, Cache<Pod> pods) {
        caches = new Caches(pools, placements, pods);
    }

    @Override
    public Optional<NumaBufferPool> findPool(String namespace, String name) {
        var known = caches;
        return (known == null ? Optional.<NumaBufferPool>empty() : known.pools.get(new ResourceID(name, namespace)))
                .or(() -> Optional.ofNullable(client.resources(NumaBufferPool.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .get()));
    }

    @Override
    public Optional<Pod> findPod(String namespace, String name) {
        var known = caches;
        return (known == null ? Optional.<Pod>empty() : known.pods.get(new ResourceID(name, namespace)))
                .or(() -> readPod(namespace, name));
    }

    /** Past the cache: for when it shows another pod of that name. */
    @Override
    public Optional<Pod> readPod(String namespace, String name) {
        return Optional.ofNullable(
                client.pods().inNamespace(namespace).withName(name).get());
    }

    /** The cache alone where there is one: an absent placement is what every new pod begins with. */
    @Override
    public Optional<NumaPlacement> findPlacement(String namespace, String podName) {
        var known = caches;
        return known == null
                ? Optional.ofNullable(client.resources(NumaPlacement.class)
                        .inNamespace(namespace)
                        .withName(podName)
                        .get())
                : known.placements.get(new ResourceID(podName, namespace));
    }
}
