package io.numabufferpool.operator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import io.numabufferpool.placement.PlacementDecision;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which reports can be worked with. */
class ReportChecksTest {
    @Test
    void buffersThatLieOnNoSingleNodeHaveARowOfTheirOwn() {
        var report = reporting(PlacementDecision.NO_SINGLE_NODE);

        assertThat(ReportChecks.checked(report)).isSameAs(report);
    }

    @Test
    void aNodeThatLinuxCannotHaveIsRefused() {
        for (int impossible : new int[] {-2, Integer.MIN_VALUE, 1024}) {
            assertThatThrownBy(() -> ReportChecks.checked(reporting(impossible)))
                    .isInstanceOf(ReportRefused.class)
                    .hasMessageContaining("status.numaNodes of node " + impossible);
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        var report = reporting(0);
        var withoutPod = new PlacementReport(
                1, null, report.pool(), new PodReference("shop", null, "u2", null), null, report.status());

        assertThatThrownBy(() -> ReportChecks.checked(withoutPod))
                .isInstanceOf(ReportRefused.class)
                .hasMessage("The report is no PlacementReport: pod.name is missing.");
    }

    private static PlacementReport reporting(int numaNode) {
        var usage = NumaNodeUsage.of(numaNode, 0, 0, 0, 0, 8, 4, 0, 0, 1, 1, 0);
        var status = new NumaPlacementStatus(
                Phase.Serving, null, null, null, "1f", 1, null, null, null, List.of(usage), List.of(), List.of());
        return new PlacementReport(
                1,
                "1f",
                new PoolReference("orders", "u1", 1),
                new PodReference("shop", "db-0", "u2", "n1"),
                null,
                status);
    }
}
