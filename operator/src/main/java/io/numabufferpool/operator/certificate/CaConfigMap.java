package io.numabufferpool.operator.certificate;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.numabufferpool.operator.cluster.Labels;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The ConfigMap {@code numa-buffer-pool-ca} as a value. Every pool of its namespace owns it, so the garbage collector
 * removes it with the last of them, and nobody has to watch for that.
 */
public final class CaConfigMap {
    private CaConfigMap() {}

    /** What should be in this namespace. {@code pools}: all pools of it, in any order. */
    public static ConfigMap render(String namespace, String trustedPem, Collection<? extends HasMetadata> pools) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(ResourceNames.CA_CONFIG_MAP)
                .addToLabels(Labels.MANAGED_BY, Labels.OPERATOR)
                .withOwnerReferences(owners(pools))
                .endMetadata()
                .withData(Map.of(ResourceNames.CA_KEY, trustedPem))
                .build();
    }

    private static List<OwnerReference> owners(Collection<? extends HasMetadata> pools) {
        return pools.stream()
                .sorted(Comparator.comparing(pool -> pool.getMetadata().getUid()))
                .map(pool -> new OwnerReferenceBuilder()
                        .withApiVersion(pool.getApiVersion())
                        .withKind(pool.getKind())
                        .withName(pool.getMetadata().getName())
                        .withUid(pool.getMetadata().getUid())
                        .build())
                .toList();
    }

    /** Whether what is there needs no write. What others added (labels, further keys) is theirs and is left alone. */
    public static boolean isAsWanted(ConfigMap actual, ConfigMap wanted) {
        var data = actual.getData() == null ? Map.<String, String>of() : actual.getData();
        var labels = actual.getMetadata().getLabels() == null
                ? Map.<String, String>of()
                : actual.getMetadata().getLabels();
        var owners = actual.getMetadata().getOwnerReferences().stream()
                .map(OwnerReference::getUid)
                .toList();
        return data.entrySet().containsAll(wanted.getData().entrySet())
                && labels.entrySet()
                        .containsAll(wanted.getMetadata().getLabels().entrySet())
                && wanted.getMetadata().getOwnerReferences().stream()
                        .map(OwnerReference::getUid)
                        .allMatch(owners::contains);
    }
}
