package io.numabufferpool.cluster;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A namespace of a user, which enforces Pod Security {@code restricted}. Closing it deletes everything in it. */
final class UserNamespace implements AutoCloseable {
    /** A pod with a JVM on an emulated, busy node: image, sidecar, placement, app. */
    static final Duration RUNNING_WITHIN = Duration.ofMinutes(8);

    private static final Duration EXEC_ENDS_WITHIN = Duration.ofMinutes(4);

    private final KubernetesClient client;
    private final String name;

    UserNamespace(Cluster cluster, String name) {
        this.client = cluster.client();
        this.name = name;
        client.namespaces()
                .withName(name)
                .withTimeout(RUNNING_WITHIN.toSeconds(), TimeUnit.SECONDS)
                .delete();
        client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(Map.of("pod-security.kubernetes.io/enforce", "restricted"))
                        .endMetadata()
                        .build())
                .create();
        awaiting("account of " + name)
                .until(() -> client.serviceAccounts()
                                .inNamespace(name)
                                .withName("default")
                                .get()
                        != null);
    }

    String name() {
        return name;
    }

    /** Applies the file of {@code src/test/resources/cluster}, with {@code ${WORD}} replaced. */
    void apply(String file, Map<String, String> words) {
        var text = fixture(file);
        for (var word : words.entrySet()) {
            text = text.replace("${" + word.getKey() + "}", word.getValue());
        }
        text = text.replace("${sidecar}", Cluster.SIDECAR_IMAGE).replace("${probe}", Cluster.PROBE_IMAGE);
        client.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                .inNamespace(name)
                .create();
    }

    private static String fixture(String file) {
        try {
            return Files.readString(Path.of("src/test/resources/cluster", file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sidecars of pods that start from now on know the operator at once. One that starts before this ConfigMap is there gets
     * it when the kubelet looks again, a minute later, and decides and reports accordingly.
     */
    void awaitCa() {
        awaiting("the operator's CA in " + name)
                .until(() -> client.configMaps()
                                .inNamespace(name)
                                .withName("numa-buffer-pool-ca")
                                .get()
                        != null);
    }

    NonNamespaceOperation<Pod, PodList, PodResource> pods() {
        return client.pods().inNamespace(name);
    }

    /** The pod of a Deployment with one replica, once there is one. */
    Pod podOf(String app) {
        return awaiting("a pod of " + app)
                .until(
                        () -> pods().withLabel("app", app).list().getItems().stream()
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** Every container runs, and is ready. */
    Pod awaitReady(String pod) {
        return awaiting("pod " + pod + " ready")
                .until(() -> pods().withName(pod).get(), it -> it != null && isReady(it));
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(it -> it.getType().equals("Ready") && it.getStatus().equals("True"));
    }

    static ContainerStatus container(Pod pod, String container) {
        return Stream.concat(
                        pod.getStatus().getContainerStatuses().stream(),
                        pod.getStatus().getInitContainerStatuses().stream())
                .filter(status -> status.getName().equals(container))
                .findFirst()
                .orElseThrow();
    }

    String sidecarLog(String pod) {
        return pods().withName(pod).inContainer("numa-buffer-pool").getLog();
    }

    NumaPlacement placement(String pod) {
        return awaiting("placement of " + pod)
                .until(
                        () -> client.resources(NumaPlacement.class)
                                .inNamespace(name)
                                .withName(pod)
                                .get(),
                        it -> it != null && it.getStatus() != null);
    }

    NumaBufferPool pool(String pool) {
        return client.resources(NumaBufferPool.class)
                .inNamespace(name)
                .withName(pool)
                .get();
    }

    Optional<Condition> condition(String pool, ConditionType type) {
        var status = pool(pool).getStatus();
        return status == null
                ? Optional.empty()
                : status.conditions().stream()
                        .filter(condition -> condition.type().equals(type.name()))
                        .findFirst();
    }

    /** The pool's condition, once it has this reason. */
    Condition awaitReason(String pool, ConditionType type, Reason reason) {
        return awaiting(type + " of " + pool + " because of " + reason)
                .until(
                        () -> condition(pool, type),
                        it -> it.isPresent() && it.get().reason().equals(reason.name()))
                .orElseThrow();
    }

    /** What a command in a container printed, on both streams. */
    Command.Result exec(String pod, String container, String... words) {
        var command = new ArrayList<>(List.of("kubectl", "exec", "-n", name, pod, "-c", container, "--"));
        command.addAll(List.of(words));
        return Command.run(EXEC_ENDS_WITHIN, command);
    }

    Command.Result kubectl(String... words) {
        var command = new ArrayList<>(List.of("kubectl", "-n", name));
        command.addAll(List.of(words));
        return Command.run(RUNNING_WITHIN, command);
    }

    static ConditionFactory awaiting(String what) {
        return Awaitility.await(what).atMost(RUNNING_WITHIN).pollInterval(Duration.ofMillis(500));
    }

    /** Waits until its pods are gone, and with them the CPUs that were exclusively theirs. */
    void closeAndWait() {
        client.namespaces()
                .withName(name)
                .withTimeout(RUNNING_WITHIN.toSeconds(), TimeUnit.SECONDS)
                .delete();
    }

    /** Does not wait: pods of an emulated node take their time to end. */
    @Override
    public void close() {
        client.namespaces().withName(name).delete();
    }
}
