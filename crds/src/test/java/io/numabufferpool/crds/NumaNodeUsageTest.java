package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The row that a person reads. */
class NumaNodeUsageTest {
    private static final long GI = 1L << 30;

    @Test
    void theSummarySaysTheWholeRowInOneLine() {
        var usage = NumaNodeUsage.of(1, GI, GI + GI / 2, GI / 2, GI, 196608, 1000, 7, 2, 2999, 1, 0);

        assertThat(usage.summary())
                .isEqualTo(
                        "node 1: 1.5 GiB placed of 1 GiB wanted, 512 MiB spilled, 1 GiB in huge pages; 1000 of 196608 buffers"
                                + " used, 7 dirty, 2 pinned; 2999 hits, 1 misses, 0 evictions, hit ratio 0.999");
    }

    @Test
    void aRatioNeverClaimsMoreThanThereIs() {
        assertThat(NumaNodeUsage.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 999_999, 1, 0).hitRatio())
                .isEqualTo("0.999");
        assertThat(NumaNodeUsage.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0).hitRatio())
                .isEqualTo("1.000");
        assertThat(NumaNodeUsage.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0).hitRatio())
                .isNull();
    }

    @Test
    void totalsAreSummedPerNodeAndTheirRatioIsOfTheSums() {
        var a = NumaNodeUsage.of(1, GI, GI, 0, GI, 10, 5, 1, 1, 9, 1, 3);
        var b = NumaNodeUsage.of(0, GI, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0);
        var c = NumaNodeUsage.of(1, GI, GI, 0, 0, 10, 5, 2, 3, 1, 9, 4);

        assertThat(NumaNodeUsage.total(List.of(a, b, c)))
                .containsExactly(b, NumaNodeUsage.of(1, 2 * GI, 2 * GI, 0, GI, 20, 10, 3, 4, 10, 10, 7));
        assertThat(NumaNodeUsage.total(List.of())).isEmpty();
    }

    @Test
    void buffersOfNoSingleNodeSaySo() {
        assertThat(NumaNodeUsage.of(-1, 0, 0, 0, 0, 8, 4, 0, 0, 0, 0, 0).summary())
                .startsWith("on no single node: ");
    }

    @Test
    void aPodsTableIsBounded() {
        var rows = IntStream.range(0, PodUsage.NODES_MAX + 1)
                .mapToObj(n -> NumaNodeUsage.of(n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .toList();

        assertThat(new PodUsage("db-0", null, null, null, null, rows).numaNodes())
                .hasSize(PodUsage.NODES_MAX);
    }
}
