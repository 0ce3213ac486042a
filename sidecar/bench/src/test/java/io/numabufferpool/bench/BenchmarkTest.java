package io.numabufferpool.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
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
    void figuresThatMissTheirGoalComeFirstAndTheLastRunCounts() throws Exception {
        var page = new ResultsPage(folder);
        page.add(line("a.good", 0.9), "here");
        page.add(line("b.missed", 2.5), "here");
        page.add(line("c.repaired", 2.5), "here");

        page.add(line("c.repaired", 1.0), "there");

        var rows = Files.readAllLines(folder.resolve("RESULTS.md")).stream()
                .filter(row -> row.contains(" [1.0,2.0] "))
                .toList();
        assertThat(rows)
                .containsExactly(
                        "| b.missed | **missed** 2.5 x [1.0,2.0] | <=1.5 | array | quiet | here |",
                        "| a.good | 0.9 x [1.0,2.0] | <=1.5 | array | quiet | here |",
                        "| c.repaired | 1.0 x [1.0,2.0] | <=1.5 | array | quiet | there |");
    }

    private static String line(String figure, double value) {
        return "{\"figure\":\"" + figure + "\",\"value\":" + value
                + ",\"unit\":\"x\",\"peer\":\"array\",\"goal\":\"<=1.5\",\"spread\":[1.0,2.0],\"note\":\"quiet\"}";
    }
}
