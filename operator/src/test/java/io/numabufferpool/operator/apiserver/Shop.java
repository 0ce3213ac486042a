package io.numabufferpool.operator.apiserver;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import java.time.Duration;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** A namespace of a user: pools, pods with the sidecar as injection leaves them, and what becomes of them. */
final class Shop implements AutoCloseable {
    private final KubernetesClient admin = ApiServerLane.admin();
    private final String namespace;

    Shop(String namespace) {
        this.namespace = namespace;
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .serverSideApply();
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("app")
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    KubernetesClient admin() {
        return admin;
    }

    String namespace() {
        return namespace;
    }

    NumaBufferPool createPool(String yaml) {
        var pool = admin.getKubernetesSerialization().unmarshal(yaml, NumaBufferPool.class);
        pool.getMetadata().setNamespace(namespace);
        return admin.resource(pool).create();
    }

    NumaBufferPool createPool(String name, String size) {
        return createPool("""
                apiVersion: numabufferpool.io/v1alpha1
                kind: NumaBufferPool
                metadata: {name: %s}
                spec: {size: %s}
                """.formatted(name, size));
    }

    /** A pod with the sidecar, as injection makes it. */
    Pod createPod(String name, NumaBufferPool pool) {
        return admin.resource(new PodBuilder(bare(name, pool))
                        .editSpec()
                        .addNewInitContainer()
                        .withName("numa-buffer-pool")
                        .withImage("localhost/numa-buffer-pool-sidecar:0.1.0")
                        .withRestartPolicy("Always")
                        .endInitContainer()
                        .endSpec()
                        .build())
                .create();
    }

    /** A labelled pod that nothing was injected into. */
    Pod createBarePod(String name, NumaBufferPool pool) {
        return admin.resource(bare(name, pool)).create();
    }

    private Pod bare(String name, NumaBufferPool pool) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .addToLabels("numabufferpool.io/pool", pool.getMetadata().getName())
                .addToAnnotations(
                        "numabufferpool.io/pool-generation",
                        Long.toString(pool.getMetadata().getGeneration()))
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName("app")
                .withNodeName("machine-1")
                .addNewContainer()
                .withName("app")
                .withImage("localhost/app")
                .endContainer()
                .endSpec()
                .build();
    }

    NumaBufferPool pool(String name) {
        return admin.resources(NumaBufferPool.class)
                .inNamespace(namespace)
                .withName(name)
                .get();
    }

    NumaPlacement placement(String pod) {
        return admin.resources(NumaPlacement.class)
                .inNamespace(namespace)
                .withName(pod)
                .get();
    }

    NumaBufferPool awaitPool(String name, Predicate<NumaBufferPool> wanted) {
        return Awaitility.await("pool " + name)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> pool(name), pool -> pool.getStatus() != null && wanted.test(pool));
    }

    NumaPlacement awaitPlacement(String pod, Predicate<NumaPlacement> wanted) {
        return Awaitility.await("placement " + pod)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> placement(pod),
                        placement -> placement != null && placement.getStatus() != null && wanted.test(placement));
    }

    @Override
    public void close() {
        admin.close();
    }
}
