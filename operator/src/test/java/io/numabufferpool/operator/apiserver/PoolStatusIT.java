package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.Phase;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What stands in a pool's status, as a person reads it with kubectl, while reports come in. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class PoolStatusIT {
    private static RunningOperator operator;
    private static Shop shop;

    @BeforeAll
    static void start() {
        operator = RunningOperator.in("status-operator");
        shop = new Shop("status");
        Injection.install(shop.admin());
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.close();
            shop.close();
        }
    }

    @Test
    void aPoolWithoutPodsIsReady() {
        shop.createPool("idle", "64Mi");

        var pool = shop.awaitPool(
                "idle", found -> condition(found, ConditionType.Ready).isTrue());

        assertThat(pool.getStatus().observedGeneration()).isEqualTo(1);
        assertThat(pool.getStatus().pods().summary()).isEqualTo("0/0");
        assertThat(condition(pool, ConditionType.Ready).message())
                .isEqualTo("0 pods ask for the pool; label a pod numabufferpool.io/pool: idle.");
    }

    @Test
    void twoPodsAddUpPerNumaNodeAndTheirHitsAppear() {
        var pool = shop.createPool("sums", "64Mi");
        var first = sidecar("sums-0", pool);
        var second = sidecar("sums-1", pool);

        first.answerTo(first.serving(decision(first), "0-3", 900));
        second.answerTo(second.serving(decision(second), "0-3", 80));

        var ready = shop.awaitPool("sums", found -> found.getStatus().pods().ready() == 2);
        assertThat(ready.getStatus().pods().summary()).isEqualTo("2/2");
        assertThat(ready.getStatus().placed()).isEqualTo("128 MiB");
        assertThat(ready.getStatus().numaNodes()).hasSize(4).allSatisfy(node -> {
            assertThat(node.placedBytes()).isEqualTo(32L << 20);
            assertThat(node.summary()).startsWith("node " + node.numaNode() + ": 32 MiB placed of 32 MiB wanted");
        });
        first.answerTo(first.serving(decision(first), "0-3", 1900));
        shop.awaitPool("sums", found -> found.getStatus().numaNodes().getFirst().hits() == 1980);
    }

    @Test
    void aPodThatWasCreatedWithoutSidecarIsNamed() {
        var pool = shop.createPool("early", "64Mi");
        shop.createBarePod("too-early", pool);

        var found = shop.awaitPool("early", seen -> seen.getStatus().pods().matched() == 1);

        assertThat(condition(found, ConditionType.InjectionActive).status()).isEqualTo("False");
        assertThat(condition(found, ConditionType.InjectionActive).reason()).isEqualTo("PodsWithoutSidecar");
        assertThat(condition(found, ConditionType.InjectionActive).message())
                .startsWith("1 of 1 pods run without a pool")
                .contains("too-early");
        assertThat(condition(found, ConditionType.Ready).isTrue()).isFalse();
    }

    @Test
    void aRefusedPodIsAnEventOnThePoolAndOnThePod() {
        var pool = shop.createPool("""
                apiVersion: numabufferpool.io/v1alpha1
                kind: NumaBufferPool
                metadata: {name: large}
                spec: {size: 64Mi, hugePages: {mode: Reserved}}
                """);
        var sidecar = sidecar("large-0", pool);

        var answer = sidecar.answerTo(sidecar.asking("0-3"));

        assertThat(answer.problem().reason()).isEqualTo("InsufficientHugePages");
        Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            var events = shop.admin()
                    .events()
                    .v1()
                    .events()
                    .inNamespace("status")
                    .list()
                    .getItems();
            assertThat(events)
                    .filteredOn(event -> event.getReason().equals("InsufficientHugePages"))
                    .extracting(PoolStatusIT::regarding)
                    .containsExactlyInAnyOrder("NumaBufferPool large", "Pod large-0");
        });
        var found = shop.awaitPool(
                "large",
                seen -> !condition(seen, ConditionType.HugePagesAvailable)
                        .reason()
                        .equals("NoPods"));
        assertThat(condition(found, ConditionType.HugePagesAvailable).reason()).isEqualTo("FsGroupMissing");
    }

    @Test
    void aSidecarThatDiesIsNoLongerVouchedForAndComesBackWithItsNextReport() {
        var pool = shop.createPool("dying", "64Mi");
        var sidecar = sidecar("dying-0", pool);
        var decision = decision(sidecar);
        sidecar.answerTo(sidecar.serving(decision, "0-3", 1));
        shop.awaitPlacement("dying-0", placement -> placement.getStatus().phase() == Phase.Serving);

        setSidecar("dying-0", false);
        var silent = shop.awaitPlacement(
                "dying-0", placement -> placement.getStatus().phase() == Phase.Unknown);
        setSidecar("dying-0", true);
        sidecar.answerTo(sidecar.serving(decision, "0-3", 1));

        assertThat(Condition.find(silent.getStatus().conditions(), ConditionType.Ready))
                .hasValueSatisfying(condition -> assertThat(condition.message())
                        .startsWith("Nobody vouches for these numbers: its sidecar is waiting (CrashLoopBackOff)."));
        assertThat(silent.getStatus().numaNodes()).hasSize(4);
        shop.awaitPlacement("dying-0", placement -> placement.getStatus().phase() == Phase.Serving);
    }

    private static void setSidecar(String pod, boolean running) {
        var status = new ContainerStatusBuilder()
                .withName("numa-buffer-pool")
                .withImage("sidecar")
                .withImageID("sidecar")
                .withReady(running)
                .withRestartCount(1)
                .withNewState()
                .endState();
        var state = running
                ? status.editState().withNewRunning().endRunning().endState().build()
                : status.editState()
                        .withNewWaiting()
                        .withReason("CrashLoopBackOff")
                        .endWaiting()
                        .endState()
                        .build();
        shop.admin()
                .pods()
                .inNamespace("status")
                .withName(pod)
                .editStatus(there -> new PodBuilder(there)
                        .withStatus(new PodStatusBuilder()
                                .withPhase("Running")
                                .withInitContainerStatuses(state)
                                .build())
                        .build());
    }

    private static String regarding(Event event) {
        return event.getRegarding().getKind() + " " + event.getRegarding().getName();
    }

    private static SidecarOfTest sidecar(String pod, NumaBufferPool pool) {
        return new SidecarOfTest(shop, shop.createPod(pod, pool), pool, operator);
    }

    private static NumaPlacementDecision decision(SidecarOfTest sidecar) {
        return sidecar.answerTo(sidecar.asking("0-3")).decision();
    }

    private static Condition condition(NumaBufferPool pool, ConditionType type) {
        return Condition.find(pool.getStatus().conditions(), type).orElseThrow();
    }
}
