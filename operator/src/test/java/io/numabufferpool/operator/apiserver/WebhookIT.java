package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Injection where the API server asks the operator: the cases that the chart's policy is tested with, and the same pods. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class WebhookIT {
    private static final String CONFIGURATION = "numa-buffer-pool-injection";

    /** An API server learns of a configuration within seconds. */
    private static final Duration ACTIVE_WITHIN = Duration.ofSeconds(30);

    private static KubernetesClient admin;
    private static RunningOperator operator;

    @BeforeAll
    static void register() {
        admin = ApiServerLane.admin();
        operator = RunningOperator.in("webhook-operator");
        admin.resource(new MutatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName(CONFIGURATION)
                        .endMetadata()
                        .addNewWebhook()
                        .withName("injection.numabufferpool.io")
                        .withAdmissionReviewVersions("v1")
                        .withNewClientConfig()
                        .withUrl("https://localhost:" + operator.port() + "/v1/inject")
                        .endClientConfig()
                        .withFailurePolicy("Fail")
                        .withSideEffects("None")
                        .withTimeoutSeconds(5)
                        .withNewNamespaceSelector()
                        .addToMatchLabels("webhook", "yes")
                        .endNamespaceSelector()
                        .withNewObjectSelector()
                        .addNewMatchExpression()
                        .withKey("numabufferpool.io/pool")
                        .withOperator("Exists")
                        .endMatchExpression()
                        .endObjectSelector()
                        .addNewRule()
                        .withApiGroups("")
                        .withApiVersions("v1")
                        .withOperations("CREATE")
                        .withResources("pods")
                        .endRule()
                        .endWebhook()
                        .build())
                .create();
        operator.registerWebhook();
        var namespace = newNamespace("webhook-begin");
        admin.resource(read(folder("burstable-two-containers"), "pool.yaml", GenericKubernetesResource.class))
                .inNamespace(namespace)
                .create();
        Awaitility.await("webhook of the API server")
                .atMost(ACTIVE_WITHIN)
                .ignoreExceptions()
                .until(() -> !stored(namespace, read(folder("burstable-two-containers"), "in-pod.yaml", Pod.class))
                        .getSpec()
                        .getInitContainers()
                        .isEmpty());
    }

    @AfterAll
    static void remove() {
        if (admin != null) {
            admin.admissionRegistration()
                    .v1()
                    .mutatingWebhookConfigurations()
                    .withName(CONFIGURATION)
                    .delete();
            admin.close();
        }
        if (operator != null) {
            operator.close();
        }
    }

    private static Path cases() {
        return ApiServerLane.root().resolve("helm/src/test/resources/injection");
    }

    private static Path folder(String name) {
        return cases().resolve(name);
    }

    static List<Path> folders() throws IOException {
        try (var folders = Files.list(cases())) {
            return folders.filter(Files::isDirectory).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("folders")
    void theWebhookGivesThePodThatThePolicyGives(Path folder) throws IOException {
        var namespace =
                newNamespace("webhook-" + folder.getFileName().toString().toLowerCase(Locale.ROOT));
        admin.resource(read(folder, "pool.yaml", GenericKubernetesResource.class))
                .inNamespace(namespace)
                .create();

        var pod = stored(namespace, read(folder, "in-pod.yaml", Pod.class));

        assertThat(Serialization.asYaml(withoutNoise(pod))).isEqualTo(Files.readString(folder.resolve("out-pod.yaml")));
    }

    @Test
    void aPodWhosePoolIsMissingIsLeftToTheGuard() {
        var namespace = newNamespace("webhook-no-pool");

        var pod = stored(namespace, read(folder("burstable-two-containers"), "in-pod.yaml", Pod.class));

        assertThat(pod.getSpec().getInitContainers()).isEmpty();
    }

    @Test
    void theAuthoritiesAreWrittenBackWhereSomebodyRemovedThem() {
        var configurations = admin.admissionRegistration().v1().mutatingWebhookConfigurations();
        configurations.withName(CONFIGURATION).edit(it -> {
            it.getWebhooks().getFirst().getClientConfig().setCaBundle(null);
            return it;
        });

        operator.registerWebhook();

        var bundle = configurations
                .withName(CONFIGURATION)
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getCaBundle();
        assertThat(new String(Base64.getDecoder().decode(bundle), java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo(operator.certificates().trustedPem().orElseThrow());
    }

    private static String newNamespace(String name) {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("webhook", "yes")
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    private static <T> T read(Path folder, String file, Class<T> type) {
        try {
            return Serialization.unmarshal(Files.readString(folder.resolve(file)), type);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Pod stored(String namespace, Pod pod) {
        return admin.pods().inNamespace(namespace).resource(pod).dryRun().create();
    }

    /** As the cases were written: without names, ids and times that the server makes up. */
    private static Pod withoutNoise(Pod pod) {
        var metadata = pod.getMetadata();
        metadata.setUid(null);
        metadata.setCreationTimestamp(null);
        metadata.setManagedFields(null);
        metadata.setNamespace(null);
        if (metadata.getGenerateName() != null) {
            metadata.setName(null);
        }
        pod.setStatus(null);
        pod.getSpec().getInitContainers().getFirst().getEnv().stream()
                .filter(variable -> variable.getName().equals("NUMAPOOL_POOL_UID"))
                .forEach(variable -> variable.setValue("UID"));
        return pod;
    }
}
