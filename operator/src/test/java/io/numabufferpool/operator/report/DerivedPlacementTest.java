package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.operator.DerivedCases;
import io.numabufferpool.operator.DerivedCases.Case;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a report is answered and what is written of it: the files under derived/report. */
final class DerivedPlacementTest {
    private static final Instant NOW = Instant.parse("2026-12-01T12:00:00Z");

    static List<Case> cases() {
        return DerivedCases.of("report");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theAnswerAndThePlacementFollowFromTheReport(Case files) {
        var pool = files.in("pool", NumaBufferPool.class);
        var report = ReportChecks.checked(files.in("report", PlacementReport.class));
        var before = files.find("before", NumaPlacement.class).orElse(null);

        var answer = PlacementChoice.choose(pool, report, before);
        var placement = PlacementRecord.render(pool, files.in("pod", Pod.class), report, answer, before, NOW);

        files.out("answer", answer);
        files.out("placement", placement);
        files.everythingWasRead();
    }
}
