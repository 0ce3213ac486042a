package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PlacedRangeTest {
    private static PlacedRange striped(long bytes, Map<Integer, Long> wanted) {
        return new PlacedRange(SegmentFile.BUFFERS, "buffers", 0, bytes, 10, new TreeMap<>(wanted));
    }

    private static List<Integer> order(PlacedRange range) {
        return range.stripes().stream().map(PlacedRange.Stripe::numaNode).toList();
    }

    @Test
    void equalSharesTakeTurns() {
        var range = striped(60, Map.of(0, 20L, 1, 20L, 3, 20L));

        assertThat(order(range)).containsExactly(0, 1, 3, 0, 1, 3);
    }

    @Test
    void unequalSharesAreSpreadEvenlyAlongTheRange() {
        var range = striped(80, Map.of(0, 60L, 1, 20L));

        assertThat(order(range)).containsExactly(0, 0, 1, 0, 0, 0, 1, 0);
    }

    @Test
    void aShortLastStripeGoesWhereItsBytesAreMissing() {
        var range = striped(34, Map.of(0, 20L, 1, 10L, 2, 4L));

        assertThat(range.stripes().getLast()).isEqualTo(new PlacedRange.Stripe(2, 30, 4));
        assertThat(order(range)).containsExactly(0, 1, 0, 2);
    }

    @Test
    void sharesMustAddUp() {
        assertThatThrownBy(() -> striped(80, Map.of(0, 60L)))
                .hasMessage("buffers: shares of 60 bytes for a range of 80");
    }
}
