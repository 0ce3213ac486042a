package io.numabufferpool.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {
    private static final int PAGES = 512;

    @TempDir
    Path folder;

    @Test
    void theChainVisitsEveryBufferOnceAndComesBack() throws Exception {
        try (var segment = BenchSegment.create(folder, PAGES, 4)) {
            segment.chain();

            var visited = new BitSet();
            long index = 0;
            for (int i = 0; i < PAGES; i++) {
                visited.set((int) index);
                index = segment.array()
                        .get(
                                ValueLayout.JAVA_LONG,
                                index * BenchSegment.BUFFER_BYTES + BenchSegment.lineOffset(index) + Long.BYTES);
            }

            assertThat(visited.cardinality()).isEqualTo(PAGES);
            assertThat(index).isZero();
        }
    }

    @Test
    void randomPagesAreAllVisitedAndNoneBeyondTheLast() {
        var pages = new RandomPages(PAGES);
        var visited = new BitSet();

        for (int i = 0; i < 50 * PAGES; i++) {
            visited.set(pages.next());
        }

        assertThat(visited.cardinality()).isEqualTo(PAGES);
        assertThat(visited.length()).isEqualTo(PAGES);
    }

    @Test
    void aValueAboveItsGoalIsMissed() {
        var figure = new Figure("hit.touch8", 2.3, "x", "array", 2.2, java.util.List.of(2.2, 2.4), "");

        assertThat(figure.missed()).isTrue();
        assertThat(figure.goal()).isEqualTo("<=2.2x");
    }
}
