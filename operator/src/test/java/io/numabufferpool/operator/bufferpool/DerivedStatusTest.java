package io.numabufferpool.operator.bufferpool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.operator.DerivedCases;
import io.numabufferpool.operator.DerivedCases.Case;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pool's status from its pods and their placements: the files under derived/status. */
final class DerivedStatusTest {
    private static final Clock NOW = Clock.fixed(Instant.parse("2026-12-01T12:00:00Z"), ZoneOffset.UTC);
    private static final Clock LATER = Clock.offset(NOW, Duration.ofHours(1));

    static List<Case> cases() {
        return DerivedCases.of("status");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void thePoolsStatusFollowsFromItsPods(Case files) {
        var facts = facts(files);

        var status = new StatusFactory(NOW).status(facts);

        files.out("status", status);
        files.everythingWasRead();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theSameFactsGiveTheSameStatusWheneverTheyAreLookedAt(Case files) {
        var facts = facts(files);
        var first = new StatusFactory(NOW).status(facts);
        facts.pool().setStatus(first);

        var again = new StatusFactory(LATER).status(facts(files, facts.pool()));

        assertThat(again).isEqualTo(first);
        assertThat(new StatusPace(LATER).wait("uid", first, again)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aStatusIsSmall(Case files) {
        var status = new StatusFactory(NOW).status(facts(files));

        assertThat(Serialization.asJson(status).length()).isLessThan(64 * 1024);
    }

    private static PoolFacts facts(Case files) {
        return facts(files, files.in("pool", NumaBufferPool.class));
    }

    private static PoolFacts facts(Case files, NumaBufferPool pool) {
        var injection = files.find("injection", Map.class)
                .map(state -> InjectionState.lacking(String.valueOf(state.get("missing"))))
                .orElse(InjectionState.complete());
        return PoolFacts.of(pool, files.all("pod", Pod.class), files.all("placement", NumaPlacement.class), injection);
    }
}
