package io.numabufferpool.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.numabufferpool.operator.bufferpool.InjectionProbe;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.cluster.CachedCluster;
import io.numabufferpool.operator.cluster.EventRecorder;
import io.numabufferpool.operator.cluster.ResourceNames;
import io.numabufferpool.operator.injection.InjectionMechanism;
import io.numabufferpool.operator.injection.WebhookInjection;
import io.numabufferpool.operator.report.PlacementStore;
import io.numabufferpool.operator.report.ReportService;
import io.vertx.core.Vertx;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Which object gets which: the operator's parts know neither Quarkus nor each other's making. */
final class OperatorBeans {
    /** Events that wait; a lost one is a line in the log. */
    private static final int EVENTS_WAITING_MAX = 1000;

    private static final String NAMESPACE = "numapool.namespace";
    private static final String POD_NAME = "numapool.pod-name";
    private static final String SERVICE = "numapool.service";
    private static final String INJECTION_NAME = "numapool.injection.name";
    private static final String INJECTION_MECHANISM = "numapool.injection.mechanism";

    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
    }

    /** Honoured in profile prod; elsewhere there is one replica. */
    @Produces
    @Singleton
    LeaderElectionConfiguration leaderElection(
            @ConfigProperty(name = NAMESPACE) String namespace, @ConfigProperty(name = POD_NAME) String podName) {
        return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(ResourceNames.LEASE)
                .withLeaseNamespace(namespace)
                .withIdentity(podName)
                .build();
    }

    @Produces
    @Singleton
    CertificateKeeper certificateKeeper(
            KubernetesClient client,
            Clock clock,
            @ConfigProperty(name = NAMESPACE) String namespace,
            @ConfigProperty(name = SERVICE) String service) {
        return new CertificateKeeper(client, namespace, CertificateKeeper.dnsNamesOf(service, namespace), clock);
    }

    @Produces
    @Singleton
    CachedCluster cluster(KubernetesClient client) {
        return new CachedCluster(client);
    }

    @Produces
    @Singleton
    InjectionProbe injectionProbe(
            KubernetesClient client,
            Clock clock,
            @ConfigProperty(name = INJECTION_NAME) String name,
            @ConfigProperty(name = INJECTION_MECHANISM) InjectionMechanism mechanism) {
        return new InjectionProbe(client, name, mechanism, clock);
    }

    /** Empty where injection is a policy of the API server. */
    @Produces
    @Singleton
    WebhookInjection webhookInjection(
            KubernetesClient client,
            CertificateKeeper certificates,
            InjectionConfig config,
            @ConfigProperty(name = INJECTION_NAME) String name,
            @ConfigProperty(name = INJECTION_MECHANISM) InjectionMechanism mechanism) {
        return mechanism == InjectionMechanism.Webhook
                ? WebhookInjection.of(client, name, certificates, config.settings())
                : WebhookInjection.none();
    }

    @Produces
    @Singleton
    PlacementStore placementStore(KubernetesClient client) {
        return new PlacementStore(client);
    }

    @Produces
    @Singleton
    EventRecorder eventRecorder(KubernetesClient client, Clock clock, @ConfigProperty(name = POD_NAME) String podName) {
        var executor = new ThreadPoolExecutor(
                0,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(EVENTS_WAITING_MAX),
                Thread.ofPlatform().daemon().name("events").factory());
        return new EventRecorder(event -> client.resource(event).create(), executor, podName, clock);
    }

    @Produces
    @Singleton
    ReportService reportService(
            Vertx vertx,
            KubernetesClient client,
            CachedCluster cluster,
            EventRecorder events,
            MeterRegistry registry,
            WebhookInjection injection,
            Clock clock) {
        return new ReportService(vertx, client, cluster, events, registry, injection.desk(), clock);
    }
}
