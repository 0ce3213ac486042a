package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No labelled pod without its sidecar, on a real API server. A case is a folder of {@code denied/}: {@code in-pod.yaml} is
 * refused with the sentence of {@code message.txt}, in a namespace that has a pool "orders".
 */
@Tag("apiserver")
@ExtendWith(ApiServer.Parameter.class)
final class GuardIT {
    private static final String NAMESPACE = "denied";
    private static final String LABEL = "numabufferpool.io/pool";

    @BeforeAll
    static void makePool(ApiServer server) {
        server.newNamespace(NAMESPACE);
        server.client()
                .resource(Serialization.unmarshal("""
                        apiVersion: numabufferpool.io/v1alpha1
                        kind: NumaBufferPool
                        metadata: {name: orders}
                        spec: {size: 64Mi}
                        """, GenericKubernetesResource.class))
                .inNamespace(NAMESPACE)
                .create();
    }

    static List<Path> cases() {
        return Golden.cases("denied");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aPodIsRefusedWithASentence(Path folder, ApiServer server) {
        var pod = Serialization.unmarshal(Golden.read(folder.resolve("in-pod.yaml")), Pod.class);

        assertThatThrownBy(() -> pods(server).resource(pod).create())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("denied request: "
                        + Golden.read(folder.resolve("message.txt")).strip());
        assertThat(pods(server).withName("shop").get()).isNull();
    }

    @Test
    void theLabelOfARunningPodStaysAsItIs(ApiServer server) {
        pods(server).resource(pod("running", "orders")).create();
        pods(server).resource(pod("plain", null)).create();

        assertThatThrownBy(() -> relabel(server, "running", null))
                .hasMessageContaining(
                        "label numabufferpool.io/pool of pod \"running\" cannot change from \"orders\" to \"\": a pod gets its"
                                + " sidecar when it is created. Delete the pod and create it with the label it shall have (of a"
                                + " Deployment: change the label in spec.template).");
        assertThatThrownBy(() -> relabel(server, "running", "other"))
                .hasMessageContaining("cannot change from \"orders\" to \"other\"");
        assertThatThrownBy(() -> relabel(server, "plain", "orders"))
                .hasMessageContaining("cannot change from \"\" to \"orders\"");
    }

    @Test
    void everythingElseOfALabelledPodMayChange(ApiServer server) {
        pods(server).resource(pod("other-label", "orders")).create();

        var changed = pods(server)
                .withName("other-label")
                .edit(pod -> new PodBuilder(pod)
                        .editMetadata()
                        .addToLabels("team", "shop")
                        .endMetadata()
                        .editSpec()
                        .editFirstInitContainer()
                        .withImage("localhost/numa-buffer-pool-sidecar:0.2.0")
                        .endInitContainer()
                        .endSpec()
                        .build());

        assertThat(changed.getMetadata().getLabels()).containsEntry("team", "shop");
        assertThat(changed.getSpec().getInitContainers().getFirst().getImage())
                .isEqualTo("localhost/numa-buffer-pool-sidecar:0.2.0");
    }

    @Test
    void aCopyOfAnInjectedPodIsWelcome(ApiServer server) {
        var original = pods(server).resource(pod("original", "orders")).create();
        var copy = new PodBuilder()
                .withNewMetadata()
                .withName("copy")
                .withLabels(original.getMetadata().getLabels())
                .endMetadata()
                .withSpec(original.getSpec())
                .build();

        var created = pods(server).resource(copy).create();

        assertThat(created.getSpec().getInitContainers())
                .isEqualTo(original.getSpec().getInitContainers());
    }

    /** Another place of the attach directory, for a program that wants it elsewhere. */
    @Test
    void aContainerMayMountTheAttachVolumeItself(ApiServer server) {
        var pod = new PodBuilder(pod("own-mount", "orders"))
                .editSpec()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("numa-buffer-pool-attach")
                .withMountPath("/run/numa-buffer-pool")
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .build();

        var created = pods(server).resource(pod).create();

        assertThat(created.getSpec().getContainers().getFirst().getVolumeMounts())
                .hasSize(1);
    }

    @Test
    void aMirrorOfAStaticPodPasses(ApiServer server) {
        var mirror = new PodBuilder(pod("mirror", "none-such"))
                .editMetadata()
                .addToAnnotations("kubernetes.io/config.mirror", "abc")
                .endMetadata()
                .editSpec()
                .withNodeName("any")
                .endSpec()
                .build();

        assertThatCode(() -> pods(server).resource(mirror).dryRun().create()).doesNotThrowAnyException();
    }

    @Test
    void podsWithoutTheLabelAreNobodysBusiness(ApiServer server) {
        var pod = new PodBuilder(pod("no-label", null))
                .editSpec()
                .editFirstContainer()
                .withName("numa-buffer-pool")
                .endContainer()
                .endSpec()
                .build();

        var created = pods(server).resource(pod).dryRun().create();

        assertThat(created.getSpec().getInitContainers()).isEmpty();
        assertThat(created.getSpec().getVolumes()).isEmpty();
    }

    private static void relabel(ApiServer server, String name, String pool) {
        pods(server).withName(name).edit(pod -> {
            if (pool == null) {
                pod.getMetadata().getLabels().remove(LABEL);
            } else {
                pod.getMetadata().getLabels().put(LABEL, pool);
            }
            return pod;
        });
    }

    private static NonNamespaceOperation<Pod, PodList, PodResource> pods(ApiServer server) {
        return server.client().pods().inNamespace(NAMESPACE);
    }

    private static Pod pod(String name, String pool) {
        var pod = Serialization.unmarshal(
                Golden.read(Path.of("src/test/resources/injection/best-effort/in-pod.yaml")), Pod.class);
        pod.getMetadata().setName(name);
        pod.getMetadata().getLabels().remove(LABEL);
        if (pool != null) {
            pod.getMetadata().getLabels().put(LABEL, pool);
        }
        return pod;
    }
}
