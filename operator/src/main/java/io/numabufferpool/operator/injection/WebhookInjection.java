package io.numabufferpool.operator.injection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import java.util.Optional;

/** The webhook put together: who answers, and who keeps the API server's trust. Empty where injection is a policy. */
public record WebhookInjection(Optional<InjectionDesk> desk, Optional<WebhookRegistration> registration) {
    private static final ResourceDefinitionContext POOLS = new ResourceDefinitionContext.Builder()
            .withGroup("numabufferpool.io")
            .withVersion("v1alpha1")
            .withKind("NumaBufferPool")
            .withPlural("numabufferpools")
            .withNamespaced(true)
            .build();

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Nothing is asked of this operator. */
    public static WebhookInjection none() {
        return new WebhookInjection(Optional.empty(), Optional.empty());
    }

    /** {@code name}: of the MutatingWebhookConfiguration. */
    public static WebhookInjection of(
            KubernetesClient client, String name, CertificateKeeper certificates, InjectionSettings settings) {
        return new WebhookInjection(
                Optional.of(new InjectionDesk((namespace, pool) -> read(client, namespace, pool), settings)),
                Optional.of(new WebhookRegistration(client, name, certificates)));
    }

    private static Optional<JsonNode> read(KubernetesClient client, String namespace, String name) {
        GenericKubernetesResource pool = client.genericKubernetesResources(POOLS)
                .inNamespace(namespace)
                .withName(name)
                .get();
        return Optional.ofNullable(pool).map(JSON::valueToTree);
    }
}
