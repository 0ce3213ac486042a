package io.numabufferpool.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.operator.DerivedCases;
import org.junit.jupiter.api.Test;

/** Who made a decision, where a sidecar had to decide alone. The other cases are files: {@link DerivedPlacementTest}. */
final class PlacementChoiceTest {
    private final DerivedCases.Case files = DerivedCases.of("report").stream()
            .filter(one -> one.toString().equals("first-report"))
            .findFirst()
            .orElseThrow();
    private final NumaBufferPool pool = files.in("pool", NumaBufferPool.class);
    private final PlacementReport asking = files.in("report", PlacementReport.class);

    @Test
    void aSidecarsOwnDecisionStaysWhereTheOperatorDecidesTheSame() {
        var own =
                by(DecidedBy.Sidecar, PlacementChoice.choose(pool, asking, null).decision());

        var answer = PlacementChoice.choose(pool, with(own), null);

        assertThat(answer.decision()).isEqualTo(own);
    }

    @Test
    void aSidecarsOwnDecisionIsReplacedWhereTheOperatorDecidesOtherwise() {
        var operators = PlacementChoice.choose(pool, asking, null).decision();
        var own = new NumaPlacementDecision(
                operators.policy(),
                operators.method(),
                "0",
                operators.shares(),
                4,
                operators.dropped(),
                "alone",
                DecidedBy.Sidecar);

        var answer = PlacementChoice.choose(pool, with(own), null);

        assertThat(answer.decision()).isEqualTo(operators);
    }

    @Test
    void theDecisionOfASegmentThatExistsStandsWhateverTheContainerMayUseByNow() {
        var operators = PlacementChoice.choose(pool, asking, null).decision();
        var own = new NumaPlacementDecision(
                operators.policy(),
                operators.method(),
                "0",
                operators.shares(),
                4,
                operators.dropped(),
                "alone",
                DecidedBy.Sidecar);
        var serving = new PlacementReport(7, "a05b4f00ec0accf0", asking.pool(), asking.pod(), own, asking.status());

        var answer = PlacementChoice.choose(pool, serving, null);

        assertThat(answer.decision()).isEqualTo(own);
    }

    @Test
    void aSegmentThatTellsNoDecisionAsksForTheNextOne() {
        var operators = PlacementChoice.choose(pool, asking, null).decision();
        var moving = new PlacementReport(8, "a05b4f00ec0accf0", asking.pool(), asking.pod(), null, asking.status());

        assertThat(PlacementChoice.choose(pool, moving, null).decision()).isEqualTo(operators);
    }

    @Test
    void aSidecarOfAnOlderGenerationIsToldThePoolOfNow() {
        var answer = PlacementChoice.choose(pool, asking, null);
        long generation = asking.pool().generation();
        pool.getMetadata().setGeneration(generation);
        assertThat(PlacementChoice.withPoolNow(answer, pool, asking).pool()).isNull();

        pool.getMetadata().setGeneration(generation + 1);

        var now = PlacementChoice.withPoolNow(answer, pool, asking);
        assertThat(now.decision()).isEqualTo(answer.decision());
        assertThat(now.pool()).isEqualTo(new PlacementAnswer.PoolNow(generation + 1, pool.getSpec()));
    }

    private PlacementReport with(NumaPlacementDecision inForce) {
        return new PlacementReport(asking.sequence(), null, asking.pool(), asking.pod(), inForce, asking.status());
    }

    private static NumaPlacementDecision by(DecidedBy who, NumaPlacementDecision decision) {
        return new NumaPlacementDecision(
                decision.policy(),
                decision.method(),
                decision.numaNodes(),
                decision.shares(),
                decision.partitionCount(),
                decision.dropped(),
                decision.why(),
                who);
    }
}
