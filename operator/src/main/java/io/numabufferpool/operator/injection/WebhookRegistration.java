package io.numabufferpool.operator.injection;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jboss.logging.Logger;

/**
 * Keeps the authorities that the API server recognizes this operator by in the chart's MutatingWebhookConfiguration. Any
 * replica writes; all write the same. Without that object it does nothing.
 */
public final class WebhookRegistration {
    private static final Logger LOG = Logger.getLogger(WebhookRegistration.class);

    private final KubernetesClient client;
    private final String name;
    private final CertificateKeeper certificates;

    /** {@code name}: of the MutatingWebhookConfiguration. */
    public WebhookRegistration(KubernetesClient client, String name, CertificateKeeper certificates) {
        this.client = client;
        this.name = name;
        this.certificates = certificates;
    }

    /** Looks and writes where the bundle differs. Throws where the API server refuses. */
    public void refresh() {
        var trusted = certificates.trustedPem();
        if (trusted.isEmpty()) {
            return;
        }
        var configurations = client.admissionRegistration().v1().mutatingWebhookConfigurations();
        var there = configurations.withName(name).get();
        var wanted = Base64.getEncoder().encodeToString(trusted.get().getBytes(StandardCharsets.UTF_8));
        if (there == null || there.getWebhooks().isEmpty() || wanted.equals(bundle(there))) {
            return;
        }
        configurations
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON),
                        "[{\"op\": \"add\", \"path\": \"/webhooks/0/clientConfig/caBundle\", \"value\": \"" + wanted
                                + "\"}]");
        LOG.infov("webhook trusts this operator: configuration={0}", name);
    }

    private static String bundle(MutatingWebhookConfiguration configuration) {
        var bundle = configuration.getWebhooks().getFirst().getClientConfig().getCaBundle();
        return bundle == null ? "" : bundle;
    }
}
