package io.numabufferpool.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.SidecarStatus;
import io.numabufferpool.operator.cluster.EventRecorder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacementEventsTest {
    private static final String EARLIER = "2026-12-01T00:00:00.000Z";
    private static final String LATER = "2026-12-01T00:00:07.500Z";

    private final List<Event> written = new ArrayList<>();
    private final PlacementEvents events =
            new PlacementEvents(new EventRecorder(written::add, Runnable::run, "operator-0", Clock.systemUTC()));

    private static NumaPlacement reportedBy(SidecarStatus sidecar) {
        var placement = new NumaPlacement();
        placement.setStatus(new NumaPlacementStatus(
                Phase.Serving, null, null, null, "cafe", 1, null, sidecar, null, List.of(), List.of(), List.of()));
        return placement;
    }

    private List<Event> between(SidecarStatus before, SidecarStatus now) {
        var pool = new NumaBufferPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withNamespace("shop").withName("orders").build());
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("shop")
                .withName("db-0")
                .withUid("u")
                .endMetadata()
                .build();
        events.record(pool, pod, reportedBy(before), reportedBy(now));
        return written;
    }

    @Test
    void anotherProcessThatTookTheSegmentOverIsAnEventThoughNothingElseChanged() {
        var told = between(
                new SidecarStatus("0.1.0", EARLIER, false, 0, 0), new SidecarStatus("0.1.1", LATER, true, 0, 0));

        assertThat(told).singleElement().satisfies(event -> {
            assertThat(event.getReason()).isEqualTo("SidecarReadopted");
            assertThat(event.getType()).isEqualTo("Normal");
            assertThat(event.getNote())
                    .isEqualTo("Pod db-0: The sidecar started again and took over segment cafe; clients kept running.");
        });
    }

    @Test
    void theSecondTakeOverIsAnEventLikeTheFirst() {
        assertThat(between(
                        new SidecarStatus("0.1.0", EARLIER, true, 0, 0), new SidecarStatus("0.1.0", LATER, true, 0, 0)))
                .hasSize(1);
    }

    @Test
    void theSameProcessIsNoEvent() {
        var sidecar = new SidecarStatus("0.1.0", EARLIER, true, 3, 9);

        assertThat(between(sidecar, sidecar)).isEmpty();
    }

    @Test
    void aProcessThatMadeANewSegmentIsNoTakeOver() {
        assertThat(between(
                        new SidecarStatus("0.1.0", EARLIER, true, 0, 0),
                        new SidecarStatus("0.1.0", LATER, false, 0, 0)))
                .isEmpty();
    }

    @Test
    void deadClientsAreCountedFromTheLastReportOn() {
        var told = between(
                new SidecarStatus("0.1.0", EARLIER, false, 3, 9), new SidecarStatus("0.1.0", EARLIER, false, 5, 10));

        assertThat(told).singleElement().satisfies(event -> {
            assertThat(event.getReason()).isEqualTo("ClientReaped");
            assertThat(event.getNote())
                    .isEqualTo(
                            "Pod db-0: 2 clients ended without detaching; 1 pin given back, the others kept running.");
        });
    }

    @Test
    void aNewProcessCountsDeadClientsFromNought() {
        var told = between(
                new SidecarStatus("0.1.0", EARLIER, false, 3, 9), new SidecarStatus("0.1.0", LATER, false, 1, 0));

        assertThat(told)
                .singleElement()
                .satisfies(event -> assertThat(event.getNote())
                        .startsWith("Pod db-0: 1 client ended without detaching; 0 pins given back"));
    }

    @Test
    void aSidecarTooOldToTellIsNoEvent() {
        assertThat(between(null, null)).isEmpty();
    }
}
