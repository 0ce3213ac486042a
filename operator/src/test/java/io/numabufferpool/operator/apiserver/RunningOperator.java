package io.numabufferpool.operator.apiserver;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.numabufferpool.operator.bufferpool.InjectionProbe;
import io.numabufferpool.operator.bufferpool.NumaBufferPoolReconciler;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.cluster.CachedCluster;
import io.numabufferpool.operator.cluster.EventRecorder;
import io.numabufferpool.operator.cluster.ResourceNames;
import io.numabufferpool.operator.injection.InjectionMechanism;
import io.numabufferpool.operator.injection.InjectionSettings;
import io.numabufferpool.operator.injection.WebhookInjection;
import io.numabufferpool.operator.placement.NumaPlacementReconciler;
import io.numabufferpool.operator.report.PlacementStore;
import io.numabufferpool.operator.report.ReportService;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** One replica of the operator, put together as Quarkus does it, with exactly the rights of docs/rbac.yaml. */
public final class RunningOperator implements AutoCloseable {
    private static final String ACCOUNT = "numa-buffer-pool-operator";

    /** The chart's defaults. */
    private static final InjectionSettings SIDECARS = new InjectionSettings(
            "localhost/numa-buffer-pool-sidecar:0.1.0",
            "IfNotPresent",
            "100m",
            "",
            "500m",
            "",
            "https://numa-buffer-pool-operator.numa-buffer-pool.svc:443");

    private final Vertx vertx = Vertx.vertx();
    private final KubernetesClient client;
    private final Operator operator;
    private final ReportService reports;
    private final CertificateKeeper certificates;
    private final WebhookInjection webhook;
    private final int port;

    private RunningOperator(String namespace, String replica, Clock clock) {
        client = ApiServerLane.asServiceAccount(namespace, ACCOUNT);
        certificates =
                new CertificateKeeper(client, namespace, CertificateKeeper.dnsNamesOf(ACCOUNT, namespace), clock);
        certificates.refresh();
        var cluster = new CachedCluster(client);
        var recorder = new EventRecorder(event -> client.resource(event).create(), Runnable::run, replica, clock);
        webhook = WebhookInjection.of(client, "numa-buffer-pool-injection", certificates, SIDECARS);
        reports = new ReportService(vertx, client, cluster, recorder, new SimpleMeterRegistry(), webhook.desk(), clock);
        port = reports.start(certificates, 0);
        operator = new Operator(overrider -> overrider
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withCacheSyncTimeout(Duration.ofSeconds(60)));
        var injection = new InjectionProbe(client, "numa-buffer-pool-injection", InjectionMechanism.Policy, clock);
        operator.register(new NumaBufferPoolReconciler(client, certificates, cluster, injection, clock));
        operator.register(new NumaPlacementReconciler(cluster, new PlacementStore(client), clock));
        operator.start();
    }

    /** In a namespace of its own, which it makes; with the real time. */
    public static RunningOperator in(String namespace) {
        return replica(namespace, "operator-0", Clock.systemUTC());
    }

    public static RunningOperator replica(String namespace, String replica, Clock clock) {
        try (var admin = ApiServerLane.admin()) {
            prepare(admin, namespace);
        }
        await("the account's rights")
                .atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(() -> {
                    try (var probe = ApiServerLane.asServiceAccount(namespace, ACCOUNT)) {
                        probe.secrets()
                                .inNamespace(namespace)
                                .withName(ResourceNames.TLS_SECRET)
                                .get();
                        return true;
                    }
                });
        return new RunningOperator(namespace, replica, clock);
    }

    static void prepare(KubernetesClient admin, String namespace) {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .serverSideApply();
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(ACCOUNT)
                        .endMetadata()
                        .build())
                .serverSideApply();
        try {
            var rules = Files.readString(ApiServerLane.root().resolve("operator/docs/rbac.yaml"))
                    .replaceAll("namespace: NAMESPACE.*", "namespace: " + namespace);
            admin.load(new java.io.ByteArrayInputStream(rules.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                    .serverSideApply();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        for (var role : List.of(ACCOUNT, ACCOUNT + "-webhook")) {
            admin.resource(new ClusterRoleBindingBuilder()
                            .withNewMetadata()
                            .withName(role + "-" + namespace)
                            .endMetadata()
                            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                            .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                            .build())
                    .serverSideApply();
        }
        admin.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(ACCOUNT)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "Role", ACCOUNT)
                        .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                        .build())
                .serverSideApply();
    }

    /** Of the report endpoint, on localhost. */
    public int port() {
        return port;
    }

    public CertificateKeeper certificates() {
        return certificates;
    }

    /** Writes the authorities that the API server shall trust into the webhook configuration, as the program does once a minute. */
    public void registerWebhook() {
        webhook.registration().orElseThrow().refresh();
    }

    @Override
    public void close() {
        operator.stop();
        reports.close();
        client.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
