package io.numabufferpool.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementSpec;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a placement is written, told by moving the clock. */
final class PlacementWriterTest {
    private final MovableClock clock = new MovableClock(Instant.parse("2026-12-01T00:00:00Z"));
    private final List<NumaPlacement> written = new ArrayList<>();
    private final PlacementWriter writer = new PlacementWriter((wanted, there) -> written.add(wanted), clock);

    @Test
    void aNewPlacementIsWrittenAtOnce() {
        writer.offer(placement("a", Phase.Deciding, 0), null);

        drain();

        assertThat(written).hasSize(1);
    }

    @Test
    void theSameAgainIsNotWritten() {
        writer.offer(placement("a", Phase.Serving, 5), null);
        drain();

        writer.offer(placement("a", Phase.Serving, 5), null);
        clock.pass(Duration.ofMinutes(1));
        drain();

        assertThat(written).hasSize(1);
    }

    @Test
    void numbersWaitTenSecondsAndTheNewestAreWritten() {
        writer.offer(placement("a", Phase.Serving, 1), null);
        drain();

        clock.pass(Duration.ofSeconds(3));
        writer.offer(placement("a", Phase.Serving, 2), null);
        writer.offer(placement("a", Phase.Serving, 3), null);
        drain();
        assertThat(written).hasSize(1);
        clock.pass(Duration.ofSeconds(7));
        drain();

        assertThat(written).hasSize(2);
        assertThat(written.getLast().getStatus().numaNodes().getFirst().hits()).isEqualTo(3);
    }

    @Test
    void aChangeOfStateOvertakesWaitingNumbers() {
        writer.offer(placement("a", Phase.Serving, 1), null);
        drain();

        writer.offer(placement("a", Phase.Serving, 2), null);
        writer.offer(placement("a", Phase.Degraded, 2), null);
        drain();

        assertThat(written).hasSize(2);
        assertThat(written.getLast().getStatus().phase()).isEqualTo(Phase.Degraded);
        assertThat(writer.waiting()).isZero();
    }

    @Test
    void numbersThatWentBackAreNotWritten() {
        writer.offer(placement("a", Phase.Serving, 1), null);
        drain();

        writer.offer(placement("a", Phase.Serving, 2), null);
        writer.offer(placement("a", Phase.Serving, 1), null);
        clock.pass(Duration.ofSeconds(20));
        drain();

        assertThat(written).hasSize(1);
    }

    @Test
    void aThousandChangesAtOnceAreTwentyWritesASecond() {
        for (int i = 0; i < 1000; i++) {
            writer.offer(placement("pod-" + i, Phase.Serving, 0), null);
        }

        drain();
        assertThat(written).hasSize(20);
        clock.pass(Duration.ofSeconds(1));
        drain();

        assertThat(written).hasSize(40);
    }

    @Test
    void numbersOfAThousandPodsStayBelowTheLimitToo() {
        for (int i = 0; i < 1000; i++) {
            writer.offer(placement("pod-" + i, Phase.Serving, 0), null);
        }
        seconds(60);
        written.clear();

        for (int second = 0; second < 100; second++) {
            for (int i = 0; i < 1000; i++) {
                writer.offer(placement("pod-" + i, Phase.Serving, second + 1), null);
            }
            seconds(1);
        }

        assertThat(written.size()).isBetween(1_000, 2_000);
        assertThat(written.stream()
                        .map(placement -> placement.getMetadata().getName())
                        .distinct())
                .as("every pod had its turn")
                .hasSize(1000);
    }

    @Test
    void aFailedWriteIsTriedAgainLaterAndLater() {
        var attempts = new ArrayList<Instant>();
        var failing = new PlacementWriter(
                (wanted, there) -> {
                    attempts.add(clock.instant());
                    throw new KubernetesClientException("away", 503, null);
                },
                clock);
        failing.offer(placement("a", Phase.Serving, 0), null);

        for (int second = 0; second < 120; second++) {
            failing.writeDue();
            failing.offer(placement("a", Phase.Serving, second), null);
            clock.pass(Duration.ofSeconds(1));
        }

        assertThat(attempts).hasSizeBetween(6, 9);
        assertThat(Duration.between(attempts.get(0), attempts.get(1))).isEqualTo(Duration.ofSeconds(1));
        assertThat(Duration.between(attempts.get(1), attempts.get(2))).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void whatTheApiServerRefusesForGoodIsNotTriedAgain() {
        var attempts = new ArrayList<String>();
        var refusing = new PlacementWriter(
                (wanted, there) -> {
                    attempts.add(wanted.getMetadata().getName());
                    throw new KubernetesClientException("no such namespace", 404, null);
                },
                clock);
        refusing.offer(placement("a", Phase.Serving, 0), null);

        refusing.writeDue();
        clock.pass(Duration.ofMinutes(5));
        refusing.writeDue();

        assertThat(attempts).hasSize(1);
    }

    @Test
    void afterARestartWhatIsThereAlreadyIsNotWrittenAgain() {
        writer.offer(placement("a", Phase.Serving, 5), placement("a", Phase.Serving, 5));

        drain();

        assertThat(written).isEmpty();
    }

    @Test
    void whatSomebodyElseRemovedIsWrittenAgainWithTheNextReport() {
        writer.offer(placement("a", Phase.Serving, 5), null);
        drain();
        clock.pass(Duration.ofSeconds(30));

        writer.offer(placement("a", Phase.Serving, 5), null);
        drain();

        assertThat(written).hasSize(2);
    }

    @Test
    void silentPodsAreForgotten() {
        writer.offer(placement("a", Phase.Serving, 5), null);
        drain();

        clock.pass(Duration.ofHours(2));
        writer.forgetSilent();

        assertThat(writer.findWanted("shop", "a")).isEmpty();
    }

    private void seconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            drain();
            clock.pass(Duration.ofSeconds(1));
        }
    }

    private void drain() {
        boolean more = true;
        while (more) {
            more = writer.writeDue();
        }
    }

    private static NumaPlacement placement(String pod, Phase phase, long hits) {
        var placement = new NumaPlacement();
        placement.setMetadata(new ObjectMetaBuilder()
                .withNamespace("shop")
                .withName(pod)
                .withLabels(Map.of("numabufferpool.io/pool", "orders"))
                .build());
        placement.setSpec(new NumaPlacementSpec(
                new PoolReference("orders", "pool-uid", 1),
                new PodReference("shop", pod, pod + "-uid", "machine-1"),
                null));
        placement.setStatus(new NumaPlacementStatus(
                phase,
                null,
                null,
                "16 MiB",
                "cafe",
                hits + 1,
                "2026-12-01T00:00:00Z",
                null,
                null,
                List.of(NumaNodeUsage.of(0, 1 << 24, 1 << 24, 0, 1 << 24, 2048, 10, 0, 0, hits, 0, 0)),
                List.of(),
                List.of()));
        return placement;
    }
}
