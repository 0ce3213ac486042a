package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What injection makes of a pod, on a real API server. A case is a folder of {@code injection/}: {@code pool.yaml} and
 * {@code in-pod.yaml} go in, {@code out-pod.yaml} is what the API server would store.
 */
@Tag("apiserver")
@ExtendWith(ApiServer.Parameter.class)
final class InjectionIT {
    private static final String LABEL = "numabufferpool.io/pool";

    static List<Path> cases() {
        return Golden.cases("injection");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aLabelledPodGetsItsSidecar(Path folder, ApiServer server) {
        var namespace = prepared(folder, "injected-", server);

        var pod = stored(server, namespace, read(folder.resolve("in-pod.yaml")));

        Golden.assertSame(folder.resolve("out-pod.yaml"), Serialization.asYaml(withoutNoise(pod)));
    }

    /** Not reordered, not merged, not defaulted otherwise: the pod without what is ours is the pod of a user without us. */
    @ParameterizedTest
    @MethodSource("cases")
    void nothingOfTheUsersIsChanged(Path folder, ApiServer server) {
        var namespace = prepared(folder, "unchanged-", server);
        var labelled = read(folder.resolve("in-pod.yaml"));
        var plain = new PodBuilder(labelled)
                .editMetadata()
                .removeFromLabels(LABEL)
                .endMetadata()
                .build();

        var injected = stored(server, namespace, labelled);
        var without = stored(server, namespace, plain);

        assertThat(Serialization.asYaml(withoutNoise(InjectedParts.removedFrom(injected, labelled))))
                .isEqualTo(Serialization.asYaml(withoutNoise(without)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void thePodKeepsItsQualityOfServiceUnlessItHadNone(Path folder, ApiServer server) {
        var namespace = prepared(folder, "class-", server);
        var labelled = read(folder.resolve("in-pod.yaml"));
        var plain = new PodBuilder(labelled)
                .editMetadata()
                .removeFromLabels(LABEL)
                .endMetadata()
                .build();

        var before = stored(server, namespace, plain).getStatus().getQosClass();
        var after = stored(server, namespace, labelled).getStatus().getQosClass();

        assertThat(after).isEqualTo(before.equals("BestEffort") ? "Burstable" : before);
    }

    private static String prepared(Path folder, String prefix, ApiServer server) {
        var namespace = server.newNamespace((prefix + folder.getFileName()).toLowerCase(Locale.ROOT));
        if (Files.exists(folder.resolve("privileged"))) {
            server.client().namespaces().withName(namespace).edit(it -> {
                it.getMetadata().getLabels().put("pod-security.kubernetes.io/enforce", "privileged");
                return it;
            });
        }
        server.client()
                .resource(Serialization.unmarshal(
                        Golden.read(folder.resolve("pool.yaml")), GenericKubernetesResource.class))
                .inNamespace(namespace)
                .create();
        return namespace;
    }

    private static Pod read(Path file) {
        return Serialization.unmarshal(Golden.read(file), Pod.class);
    }

    /** As the API server would store it: nothing is stored by a dry run. */
    private static Pod stored(ApiServer server, String namespace, Pod pod) {
        return server.client()
                .pods()
                .inNamespace(namespace)
                .resource(pod)
                .dryRun()
                .create();
    }

    /** Without what differs from run to run: names, ids and times that the server makes up. */
    private static Pod withoutNoise(Pod pod) {
        var text = Serialization.asYaml(pod).replaceAll("kube-api-access-\\w{5}", "kube-api-access-RANDOM");
        var quiet = Serialization.unmarshal(text, Pod.class);
        quiet.getMetadata().setUid(null);
        quiet.getMetadata().setCreationTimestamp(null);
        quiet.getMetadata().setManagedFields(null);
        quiet.getMetadata().setNamespace(null);
        if (quiet.getMetadata().getGenerateName() != null) {
            quiet.getMetadata().setName(null);
        }
        quiet.setStatus(null);
        InjectedParts.sidecar(quiet)
                .flatMap(sidecar -> InjectedParts.variable(sidecar, "NUMAPOOL_POOL_UID"))
                .ifPresent(variable -> variable.setValue("UID"));
        return quiet;
    }
}
