package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.operator.cluster.Labels;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Writes placements by server-side apply: metadata and spec where they changed, then the status. Thread-safe. */
public final class PlacementStore implements BiConsumer<NumaPlacement, @Nullable NumaPlacement> {
    private static final PatchContext APPLY = new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(Labels.OPERATOR)
            .withForce(true)
            .build();

    private final KubernetesClient client;

    public PlacementStore(KubernetesClient client) {
        this.client = client;
    }

    /** Makes the cluster hold {@code wanted}; {@code there} is what it holds as far as is known. */
    @Override
    public void accept(NumaPlacement wanted, @Nullable NumaPlacement there) {
        if (there == null || !hasSameSpec(wanted, there)) {
            client.resource(withoutStatus(wanted)).patch(APPLY);
        }
        applyStatus(wanted, wanted.getStatus());
    }

    /** Writes nothing but the status. */
    public void applyStatus(NumaPlacement placement, NumaPlacementStatus status) {
        var named = new NumaPlacement();
        named.setMetadata(new ObjectMetaBuilder()
                .withNamespace(placement.getMetadata().getNamespace())
                .withName(placement.getMetadata().getName())
                .build());
        named.setStatus(status);
        client.resource(named).subresource("status").patch(APPLY);
    }

    private static NumaPlacement withoutStatus(NumaPlacement wanted) {
        var part = new NumaPlacement();
        part.setMetadata(wanted.getMetadata());
        part.setSpec(wanted.getSpec());
        return part;
    }

    private static boolean hasSameSpec(NumaPlacement wanted, NumaPlacement there) {
        return Objects.equals(wanted.getSpec(), there.getSpec())
                && Objects.equals(
                        wanted.getMetadata().getOwnerReferences(),
                        there.getMetadata().getOwnerReferences())
                && Objects.requireNonNull(wanted.getMetadata().getLabels())
                        .equals(there.getMetadata().getLabels());
    }
}
