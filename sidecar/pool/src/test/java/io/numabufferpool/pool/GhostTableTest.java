package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GhostTableTest {
    private static final int SPACE = 1;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 100, 1000, 1L << 27})
    void knowsHowABlockLeftAndForgetsItOnceAsked(long bufferCount) {
        var ghosts = new GhostTable(bufferCount);
        ghosts.remember(hash(1), GhostTable.Departure.FROM_PROBATION);
        ghosts.remember(hash(2), GhostTable.Departure.FROM_CLOCK);

        assertThat(ghosts.recall(hash(1))).isEqualTo(GhostTable.Departure.FROM_PROBATION);
        assertThat(ghosts.recall(hash(2))).isEqualTo(GhostTable.Departure.FROM_CLOCK);
        assertThat(ghosts.recall(hash(1))).isEqualTo(GhostTable.Departure.UNKNOWN);
        assertThat(ghosts.recall(hash(3))).isEqualTo(GhostTable.Departure.UNKNOWN);
    }

    @Test
    void whatTheHandEvictedIsForgottenSoonerThanWhatWasOnProbation() {
        var ghosts = new GhostTable(1024);
        ghosts.remember(hash(1), GhostTable.Departure.FROM_PROBATION);
        ghosts.remember(hash(2), GhostTable.Departure.FROM_CLOCK);

        for (int block = 1000; block < 1300; block++) {
            ghosts.remember(hash(block), GhostTable.Departure.FROM_PROBATION);
        }

        assertThat(ghosts.recall(hash(1))).isEqualTo(GhostTable.Departure.FROM_PROBATION);
        assertThat(ghosts.recall(hash(2))).isEqualTo(GhostTable.Departure.UNKNOWN);
    }

    @Test
    void aBlockThatLeftLongerAgoThanThereAreBuffersIsUnknown() {
        var ghosts = new GhostTable(1024);
        ghosts.remember(hash(1), GhostTable.Departure.FROM_PROBATION);

        for (int block = 1000; block < 2100; block++) {
            ghosts.remember(hash(block), GhostTable.Departure.FROM_PROBATION);
        }

        assertThat(ghosts.recall(hash(1))).isEqualTo(GhostTable.Departure.UNKNOWN);
    }

    private static long hash(long block) {
        return LookupTable.hash(SPACE, block);
    }
}
