package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A quiet system writes nothing: sidecars report the same again and again, and no object gets a new version. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class QuietIT {
    private static final int PODS = 5;

    /** Longer than every interval by which numbers are written or things are looked at again, but for the minute's. */
    private static final Duration QUIET = Duration.ofSeconds(25);

    @Test
    void reportsThatSayNothingNewAreNotWritten() throws Exception {
        try (var operator = RunningOperator.in("quiet-operator");
                var shop = new Shop("quiet")) {
            Injection.install(shop.admin());
            var pool = shop.createPool("calm", "64Mi");
            var sidecars = Stream.iterate(0, i -> i + 1)
                    .limit(PODS)
                    .map(i -> new SidecarOfTest(shop, shop.createPod("calm-" + i, pool), pool, operator))
                    .toList();
            for (var sidecar : sidecars) {
                var decision = sidecar.answerTo(sidecar.asking("0-3")).decision();
                sidecar.answerTo(sidecar.serving(decision, "0-3", 10));
            }
            var ready = shop.awaitPool("calm", found -> found.getStatus().pods().ready() == PODS);
            Thread.sleep(Duration.ofSeconds(2));
            var before = versions(shop.admin());

            for (long end = System.nanoTime() + QUIET.toNanos(); System.nanoTime() < end; Thread.sleep(4_000)) {
                for (int i = 0; i < PODS; i++) {
                    var decision = shop.placement("calm-" + i).getSpec().decision();
                    sidecars.get(i).answerTo(sidecars.get(i).serving(decision, "0-3", 10));
                }
            }

            assertThat(ready.getStatus().conditions())
                    .filteredOn(condition -> condition.type().equals(ConditionType.Ready.name()))
                    .allMatch(condition -> condition.isTrue());
            assertThat(versions(shop.admin())).isEqualTo(before);
        }
    }

    private static Map<String, String> versions(KubernetesClient admin) {
        var versions = new TreeMap<String, String>();
        Stream.of(
                        admin.resources(NumaBufferPool.class)
                                .inNamespace("quiet")
                                .list()
                                .getItems(),
                        admin.resources(NumaPlacement.class)
                                .inNamespace("quiet")
                                .list()
                                .getItems(),
                        admin.configMaps().inNamespace("quiet").list().getItems(),
                        admin.secrets().inNamespace("quiet-operator").list().getItems())
                .flatMap(items -> items.stream().map(HasMetadata.class::cast))
                .forEach(item -> versions.put(
                        item.getKind() + " " + item.getMetadata().getName(),
                        item.getMetadata().getResourceVersion()));
        return versions;
    }
}
