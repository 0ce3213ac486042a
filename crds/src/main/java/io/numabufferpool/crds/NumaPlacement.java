package io.numabufferpool.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** One pod's segment: what was decided for it, and where the kernel says it lies. Written by the operator, owned by the pod. */
@Group(ApiGroup.NAME)
@Version(ApiGroup.VERSION)
@Plural("numaplacements")
@Singular("numaplacement")
@ShortNames("nplace")
@AdditionalPrinterColumn(name = "Pool", jsonPath = ".spec.pool.name", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "NUMA Nodes",
        jsonPath = ".spec.decision.numaNodes",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Method", jsonPath = ".status.method", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Placed", jsonPath = ".status.placed", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Kube Node",
        jsonPath = ".spec.pod.kubeNode",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class NumaPlacement extends CustomResource<NumaPlacementSpec, NumaPlacementStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Override
    protected @Nullable NumaPlacementSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable NumaPlacementStatus initStatus() {
        return null;
    }
}
