package io.numabufferpool.operator.bufferpool;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.config.informer.FieldSelector;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.rate.RateLimited;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaBufferPoolStatus;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.operator.certificate.CaConfigMap;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.cluster.CachedCluster;
import io.numabufferpool.operator.cluster.Labels;
import io.numabufferpool.operator.cluster.ResourceNames;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a pool's status true and its namespace's CA in place. Looks at the whole pool each time; decisions about pods are
 * made by the report endpoint. Runs on the elected replica; its caches serve the report endpoint on every replica.
 */
@Singleton
@ControllerConfiguration(name = "numabufferpool")
@RateLimited(maxReconciliations = 1, within = 1)
public class NumaBufferPoolReconciler implements Reconciler<NumaBufferPool> {
    /** A policy that somebody deleted makes no event here; a look costs two requests for all pools together. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(60);

    /** What is missing is looked at again, or tried again, after this. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(15);

    private static final Logger LOG = Logger.getLogger(NumaBufferPoolReconciler.class);

    private final KubernetesClient client;
    private final CertificateKeeper certificates;
    private final CachedCluster cluster;
    private final InjectionProbe injection;
    private final StatusFactory statuses;
    private final StatusPace pace;
    private final SimpleInboundEventSource<NumaBufferPool> bundleChanges = new SimpleInboundEventSource<>("ca-bundle");
    private @Nullable Cache<NumaBufferPool> pools;
    private @Nullable Cache<ConfigMap> configMaps;

    @Inject
    public NumaBufferPoolReconciler(
            KubernetesClient client,
            CertificateKeeper certificates,
            CachedCluster cluster,
            InjectionProbe injection,
            Clock clock) {
        this.client = client;
        this.certificates = certificates;
        this.cluster = cluster;
        this.injection = injection;
        this.statuses = new StatusFactory(clock);
        this.pace = new StatusPace(clock);
    }

    @Override
    public List<EventSource<?, NumaBufferPool>> prepareEventSources(EventSourceContext<NumaBufferPool> context) {
        var placements = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(NumaPlacement.class, NumaBufferPool.class)
                        .withName("placements")
                        .withLabelSelector(Labels.POOL)
                        .withSecondaryToPrimaryMapper(NumaBufferPoolReconciler::poolByLabel)
                        .build(),
                context);
        var pods = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Pod.class, NumaBufferPool.class)
                        .withName("pods")
                        .withLabelSelector(Labels.POOL)
                        .withSecondaryToPrimaryMapper(NumaBufferPoolReconciler::poolByLabel)
                        .build(),
                context);
        var primaries = context.getPrimaryCache();
        var caConfigMaps = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(ConfigMap.class, NumaBufferPool.class)
                        .withName("ca")
                        .withFieldSelector(new FieldSelector(
                                new FieldSelector.Field("metadata.name", ResourceNames.CA_CONFIG_MAP)))
                        .withSecondaryToPrimaryMapper(configMap -> poolsOf(primaries, configMap))
                        .build(),
                context);
        pools = primaries;
        configMaps = caConfigMaps;
        cluster.attach(primaries, placements, pods);
        certificates.onBundleChange(
                () -> primaries.list().map(ResourceID::fromResource).forEach(bundleChanges::propagateEvent));
        return List.of(placements, pods, caConfigMaps, bundleChanges);
    }

    private static Set<ResourceID> poolByLabel(HasMetadata labelled) {
        var pool = labelled.getMetadata().getLabels().get(Labels.POOL);
        return pool == null
                ? Set.of()
                : Set.of(new ResourceID(pool, labelled.getMetadata().getNamespace()));
    }

    private static Set<ResourceID> poolsOf(Cache<NumaBufferPool> pools, ConfigMap configMap) {
        return pools.list(isIn(configMap.getMetadata().getNamespace()))
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet());
    }

    private static java.util.function.Predicate<NumaBufferPool> isIn(String namespace) {
        return pool -> namespace.equals(pool.getMetadata().getNamespace());
    }

    /** Check, plan, apply, report. */
    @Override
    public UpdateControl<NumaBufferPool> reconcile(NumaBufferPool pool, Context<NumaBufferPool> context) {
        var facts = check(pool, context);
        var status = statuses.status(facts);
        boolean applied = applyCa(pool.getMetadata().getNamespace());
        return report(pool, status, applied && facts.injection().active() ? LOOK_AGAIN : TRY_AGAIN);
    }

    private PoolFacts check(NumaBufferPool pool, Context<NumaBufferPool> context) {
        return PoolFacts.of(
                pool,
                context.getSecondaryResources(Pod.class),
                context.getSecondaryResources(NumaPlacement.class),
                injection.look());
    }

    /** Whether the namespace has the CA as it should be, or nothing can be done about it. */
    private boolean applyCa(String namespace) {
        var pem = certificates.trustedPem();
        if (pem.isEmpty() || pools == null || configMaps == null) {
            return false;
        }
        List<NumaBufferPool> owners;
        try (Stream<NumaBufferPool> inNamespace = pools.list(isIn(namespace))) {
            owners = inNamespace.toList();
        }
        var wanted = CaConfigMap.render(namespace, pem.get(), owners);
        var there = configMaps.get(new ResourceID(ResourceNames.CA_CONFIG_MAP, namespace));
        if (owners.isEmpty()
                || there.filter(actual -> CaConfigMap.isAsWanted(actual, wanted))
                        .isPresent()) {
            return true;
        }
        try {
            client.resource(wanted)
                    .fieldManager(Labels.OPERATOR)
                    .forceConflicts()
                    .serverSideApply();
            LOG.infov("CA written: namespace={0} configMap={1}", namespace, ResourceNames.CA_CONFIG_MAP);
            return true;
        } catch (KubernetesClientException e) {
            LOG.warnv(
                    "CA not written, sidecars of this namespace decide alone: namespace={0} configMap={1} problem={2}",
                    namespace, ResourceNames.CA_CONFIG_MAP, e.getMessage());
            return false;
        }
    }

    private UpdateControl<NumaBufferPool> report(NumaBufferPool pool, NumaBufferPoolStatus status, Duration lookAgain) {
        var uid = pool.getMetadata().getUid();
        var wait = pace.wait(uid, pool.getStatus(), status);
        if (wait.isEmpty()) {
            return UpdateControl.<NumaBufferPool>noUpdate().rescheduleAfter(lookAgain);
        }
        if (wait.get().isPositive()) {
            return UpdateControl.<NumaBufferPool>noUpdate().rescheduleAfter(wait.get());
        }
        pace.written(uid);
        var changed = new NumaBufferPool();
        changed.setMetadata(new ObjectMetaBuilder()
                .withNamespace(pool.getMetadata().getNamespace())
                .withName(pool.getMetadata().getName())
                .build());
        changed.setStatus(status);
        return UpdateControl.patchStatus(changed).rescheduleAfter(lookAgain);
    }
}
