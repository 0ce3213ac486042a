package io.numabufferpool.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StateWordTest {
    @Test
    void everyFieldKeepsItsValueBesideTheOthers() {
        long word = StateWord.of(StateWord.LOADING, StateWord.OWNER_MAX, 0xF_1234_5678L) | StateWord.DIRTY;
        word = StateWord.withUsageCount(word, StateWord.USAGE_COUNT_MAX);

        assertThat(StateWord.phase(word)).isEqualTo(StateWord.LOADING);
        assertThat(StateWord.owner(word)).isEqualTo(StateWord.OWNER_MAX);
        assertThat(StateWord.version(word)).isEqualTo(0xF_1234_5678L);
        assertThat(StateWord.usageCount(word)).isEqualTo(StateWord.USAGE_COUNT_MAX);
        assertThat(StateWord.has(word, StateWord.DIRTY)).isTrue();
        assertThat(StateWord.has(word, StateWord.WRITING)).isFalse();
    }

    @Test
    void aZeroWordIsAFreeBufferOfNobody() {
        assertThat(StateWord.describe(0)).isEqualTo("FREE usageCount 0 version 0");
    }

    @Test
    void theVersionWrapsInsideItsField() {
        long last = StateWord.of(StateWord.VALID, 3, StateWord.VERSION_MASK >>> StateWord.VERSION_SHIFT);

        assertThat(StateWord.bump(last)).isEqualTo(StateWord.of(StateWord.VALID, 3, 0));
    }

    @Test
    void evictingIsANewVersionAndGivingBackKeepsIt() {
        long valid = StateWord.of(StateWord.VALID, 0, 41);

        long evicting = StateWord.evicting(valid, 9);
        long back = StateWord.givenBack(evicting);

        assertThat(StateWord.is(evicting, StateWord.EVICTING, 9)).isTrue();
        assertThat(StateWord.version(evicting)).isEqualTo(42);
        assertThat(back).isEqualTo(StateWord.withUsageCount(StateWord.of(StateWord.VALID, 0, 42), 1));
    }

    @Test
    void flagsSurviveAnEvictionThatIsGivenBack() {
        long valid = StateWord.of(StateWord.VALID, 0, 1) | StateWord.DIRTY | StateWord.TORN;

        long back = StateWord.givenBack(StateWord.evicting(valid, 4));

        assertThat(StateWord.has(back, StateWord.DIRTY)).isTrue();
        assertThat(StateWord.has(back, StateWord.TORN)).isTrue();
    }

    @Test
    void everyChangeThatASleeperWaitsForChangesTheFutexWord() {
        var random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            long loading = StateWord.of(StateWord.LOADING, random.nextInt(1, 65536), random.nextLong() >>> 28)
                    | StateWord.WAITERS;
            long version = StateWord.version(loading);

            assertThat(StateWord.futexWord(StateWord.of(StateWord.VALID, 0, version)))
                    .isNotEqualTo(StateWord.futexWord(loading));
            assertThat(StateWord.futexWord(StateWord.of(StateWord.FREE, 0, version)))
                    .isNotEqualTo(StateWord.futexWord(loading));
            assertThat(StateWord.futexWord(StateWord.of(StateWord.CLAIMED, 7, version)))
                    .isNotEqualTo(StateWord.futexWord(loading));
        }
    }
}
