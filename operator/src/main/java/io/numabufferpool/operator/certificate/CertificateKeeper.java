package io.numabufferpool.operator.certificate;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.net.HttpURLConnection;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the certificates in the Secret and the replicas in step with it. Every replica runs one; whoever finds something
 * due writes, and the resourceVersion lets only one of two succeed. Thread-safe.
 *
 * <p>Invariant: what {@link #current} answers has been in the Secret, so no replica presents a certificate that the others
 * do not know. A deleted Secret comes back with the same certificates, so that sidecars go on trusting.
 */
public final class CertificateKeeper {
    /** Two replicas can collide once; more tries only cover somebody who edits the Secret meanwhile. */
    private static final int ATTEMPTS_MAX = 5;

    private static final Logger LOG = Logger.getLogger(CertificateKeeper.class);

    private final KubernetesClient client;
    private final String namespace;
    private final List<String> dnsNames;
    private final Clock clock;
    private final CertificateMaker maker = new CertificateMaker();
    private final List<Consumer<PresentedCertificate>> servingListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> bundleListeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable ServingCertificates current;

    /** Ready to use; {@code dnsNames}: the names sidecars use for the operator; a change makes a new serving certificate. */
    public CertificateKeeper(KubernetesClient client, String namespace, List<String> dnsNames, Clock clock) {
        this.client = client;
        this.namespace = namespace;
        this.dnsNames = List.copyOf(dnsNames);
        this.clock = clock;
    }

    /** The names of a Service that sidecars may use, by the cluster's DNS search rules. */
    public static List<String> dnsNamesOf(String service, String namespace) {
        var qualified = service + "." + namespace + ".svc";
        return List.of(qualified, qualified + ".cluster.local", service + "." + namespace, "localhost");
    }

    /** Called with the new certificate whenever it changes; at once if there is one already. */
    public void onServingChange(Consumer<PresentedCertificate> listener) {
        servingListeners.add(listener);
        var known = current;
        if (known != null) {
            listener.accept(presented(known));
        }
    }

    /** Called whenever the bundle changes: the ConfigMaps are to be written again. */
    public void onBundleChange(Runnable listener) {
        bundleListeners.add(listener);
    }

    /** PEM of every authority to trust; empty before the first {@link #refresh}. */
    public Optional<String> trustedPem() {
        return Optional.ofNullable(current).map(ServingCertificates::trustedPem);
    }

    /** Reads the Secret, renews what is due, tells the listeners what is new. Throws where the API server refuses. */
    public synchronized void refresh() {
        var before = current;
        var now = readAndRenew();
        current = now;
        if (before == null
                || !before.serving().certificate().equals(now.serving().certificate())) {
            LOG.infov(
                    "serving certificate in use: serial={0} until={1}",
                    now.serving().certificate().getSerialNumber().toString(16),
                    now.serving().expiresAt());
            servingListeners.forEach(listener -> listener.accept(presented(now)));
        }
        if (before != null && !before.trusted().equals(now.trusted())) {
            LOG.infov("trusted authorities changed: count={0}", now.trusted().size());
            bundleListeners.forEach(Runnable::run);
        }
    }

    private ServingCertificates readAndRenew() {
        KubernetesClientException collision = null;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            var stored = client.secrets()
                    .inNamespace(namespace)
                    .withName(ResourceNames.TLS_SECRET)
                    .get();
            var known = stored == null ? current : read(stored);
            // Certificates count in whole seconds.
            var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            var wanted = known == null
                    ? ServingCertificates.first(maker, dnsNames, now)
                    : known.renewed(maker, dnsNames, now);
            if (stored != null && wanted.equals(known)) {
                return wanted;
            }
            try {
                write(stored, wanted);
                return wanted;
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    throw e;
                }
                collision = e;
            }
        }
        throw new IllegalStateException(
                "Secret " + namespace + "/" + ResourceNames.TLS_SECRET + " was changed by somebody else " + ATTEMPTS_MAX
                        + " times while it was being renewed; look for a second program that writes it.",
                collision);
    }

    private @Nullable ServingCertificates read(Secret stored) {
        try {
            return ServingSecret.parse(stored);
        } catch (GeneralSecurityException foreign) {
            LOG.warnv(
                    "certificate Secret is unreadable and is written again: namespace={0} name={1} problem={2}",
                    namespace, ResourceNames.TLS_SECRET, foreign.getMessage());
            return current;
        }
    }

    private void write(@Nullable Secret stored, ServingCertificates wanted) {
        var version = stored == null ? null : stored.getMetadata().getResourceVersion();
        var secret = client.resource(ServingSecret.render(namespace, wanted, version));
        if (stored == null) {
            secret.create();
        } else {
            secret.update();
        }
    }

    private static PresentedCertificate presented(ServingCertificates certificates) {
        return new PresentedCertificate(
                Pem.render(List.of(certificates.serving().certificate())),
                Pem.render(certificates.serving().key()));
    }
}
