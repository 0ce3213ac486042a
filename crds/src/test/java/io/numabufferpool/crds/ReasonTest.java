package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.PlacementReason;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every reason explains something, and says what to do where something is wrong. */
class ReasonTest {
    @ParameterizedTest
    @EnumSource(PlacementReason.class)
    void everyReasonOfThePlannerIsAReasonOfTheApi(PlacementReason reason) {
        assertThat(Reason.of(reason).name()).isEqualTo(reason.name());
        assertThat(Reason.of(reason).fix()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void everyReasonIsUsedSomewhereAndDescribed(Reason reason) {
        assertThat(reason.isEvent() || !reason.conditionTypes().isEmpty()).isTrue();
        assertThat(reason.meaning()).isNotBlank().doesNotEndWith(".");
        assertThat(reason.name()).matches("[A-Z][A-Za-z]+");
    }

    @Test
    void everyConditionTypeHasAReason() {
        assertThat(Arrays.stream(Reason.values()).flatMap(reason -> reason.conditionTypes().stream()))
                .contains(ConditionType.values());
    }

    @Test
    void theReferenceIsWhatTheEnumsGive() throws IOException {
        RenderedFile.of("crds/docs/conditions.md").compare(ConditionsReference.render());
    }
}
