package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The CA in the namespaces that have pools: there, restored, owned by every pool, and in no other namespace. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class CaConfigMapIT {
    private static final String NAME = "numa-buffer-pool-ca";

    private static RunningOperator operator;
    private static Shop shop;

    @BeforeAll
    static void start() {
        operator = RunningOperator.in("ca-operator");
        shop = new Shop("ca");
        shop.createPool("one", "64Mi");
        shop.createPool("two", "64Mi");
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.close();
            shop.close();
        }
    }

    @Test
    void everyPoolOfTheNamespaceOwnsIt() {
        var map = await(found -> found.getMetadata().getOwnerReferences().size() == 2);

        assertThat(map.getData().get("ca.crt"))
                .isEqualTo(operator.certificates().trustedPem().orElseThrow());
        assertThat(map.getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getKind, OwnerReference::getName)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("NumaBufferPool", "one"),
                        org.assertj.core.groups.Tuple.tuple("NumaBufferPool", "two"));
    }

    @Test
    void anEditIsUndone() {
        await(found -> true);

        shop.admin()
                .configMaps()
                .inNamespace("ca")
                .withName(NAME)
                .edit(map -> new ConfigMapBuilder(map)
                        .withData(Map.of("ca.crt", "mine"))
                        .build());

        await(found -> found.getData().get("ca.crt").contains("BEGIN CERTIFICATE"));
    }

    @Test
    void aDeletedOneComesBack() {
        var first = await(found -> true);

        shop.admin().configMaps().inNamespace("ca").withName(NAME).delete();

        await(found -> !found.getMetadata().getUid().equals(first.getMetadata().getUid()));
    }

    @Test
    void namespacesWithoutPoolsGetNone() {
        await(found -> true);

        assertThat(shop.admin()
                        .configMaps()
                        .inNamespace("ca-operator")
                        .withName(NAME)
                        .get())
                .isNull();
    }

    private static ConfigMap await(Predicate<ConfigMap> wanted) {
        return Awaitility.await("ConfigMap " + NAME)
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> shop.admin()
                                .configMaps()
                                .inNamespace("ca")
                                .withName(NAME)
                                .get(),
                        map -> map != null && wanted.test(map));
    }
}
