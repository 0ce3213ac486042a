package io.numabufferpool.operator.placement;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.operator.cluster.ClusterView;
import io.numabufferpool.operator.report.PlacementStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Marks placements whose sidecar can no longer be heard. Everything else about a placement is written by the report endpoint. */
@Singleton
@ControllerConfiguration(name = "numaplacement", generationAwareEventProcessing = false)
public class NumaPlacementReconciler implements Reconciler<NumaPlacement> {
    /** How often each placement is looked at, and so how late a dead sidecar is noticed; costs no request. */
    static final Duration LOOK_AGAIN = Duration.ofSeconds(20);

    /** A sidecar whose image is exchanged is back within seconds; that is no news. */
    static final Duration GRACE = Duration.ofSeconds(15);

    private static final Logger LOG = Logger.getLogger(NumaPlacementReconciler.class);

    private final ClusterView cluster;
    private final PlacementStore store;
    private final Clock clock;
    private final Silences silences;

    @Inject
    public NumaPlacementReconciler(ClusterView cluster, PlacementStore store, Clock clock) {
        this.cluster = cluster;
        this.store = store;
        this.clock = clock;
        this.silences = new Silences(clock);
    }

    @Override
    public UpdateControl<NumaPlacement> reconcile(NumaPlacement placement, Context<NumaPlacement> context) {
        var reason = check(placement);
        var silence = silences.note(placement.getMetadata().getUid(), reason.isPresent());
        if (reason.isPresent() && silence.compareTo(GRACE) >= 0) {
            mark(placement, reason.get());
        }
        return UpdateControl.<NumaPlacement>noUpdate()
                .rescheduleAfter(reason.isPresent() ? GRACE.plusSeconds(1) : LOOK_AGAIN);
    }

    private Optional<String> check(NumaPlacement placement) {
        var status = placement.getStatus();
        if (status == null || status.phase() == Phase.Unknown || placement.isMarkedForDeletion()) {
            return Optional.empty();
        }
        var pod = cluster.findPod(
                placement.getMetadata().getNamespace(), placement.getMetadata().getName());
        return Overdue.reason(placement, pod.orElse(null));
    }

    private void mark(NumaPlacement placement, String reason) {
        var marked = Overdue.marked(
                placement.getStatus(), reason, placement.getMetadata().getGeneration(), clock.instant());
        store.applyStatus(placement, marked);
        LOG.infov(
                "placement is not vouched for: namespace={0} pod={1} reason={2}",
                placement.getMetadata().getNamespace(), placement.getMetadata().getName(), reason);
    }
}
