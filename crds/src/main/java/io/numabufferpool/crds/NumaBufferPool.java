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

/** What a user writes: a pool of buffers that every pod with its label gets, placed on the NUMA nodes that pod may use. */
@Group(ApiGroup.NAME)
@Version(ApiGroup.VERSION)
@Plural("numabufferpools")
@Singular("numabufferpool")
@ShortNames("nbp")
@AdditionalPrinterColumn(name = "Size", jsonPath = ".spec.size", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Policy",
        jsonPath = ".spec.placement.policy",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready Pods",
        jsonPath = ".status.pods.summary",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Placed", jsonPath = ".status.placed", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class NumaBufferPool extends CustomResource<NumaBufferPoolSpec, NumaBufferPoolStatus>
        implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Override
    protected @Nullable NumaBufferPoolSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable NumaBufferPoolStatus initStatus() {
        return null;
    }
}
