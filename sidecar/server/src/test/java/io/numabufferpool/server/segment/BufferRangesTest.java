package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementRequest;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BufferRangesTest {
    private static final long MIB = 1L << 20;
    private static final long HUGE = 2 * MIB;
    private static final long BUFFER = 8192;

    private static PlacementDecision decide(PlacementPolicy policy, long size, long maxSize) {
        boolean kernelChooses = policy == PlacementPolicy.None || policy == PlacementPolicy.Preferred;
        var enforcement = kernelChooses ? Enforcement.BestEffort : Enforcement.Strict;
        var weights = new TreeMap<Integer, Integer>();
        if (policy == PlacementPolicy.WeightedInterleave) {
            weights.put(0, 5);
            weights.put(2, 3);
        }
        var request = new PlacementRequest(
                size,
                maxSize,
                BUFFER,
                HugePageMode.Transparent,
                HUGE,
                policy,
                new NodeSelection.Allowed(),
                false,
                enforcement,
                4,
                weights);
        var topology = FakeNodes.topology();
        var seen = new Observation(
                topology,
                topology.all(),
                topology.numaNodes().stream()
                        .map(node -> node.cpus())
                        .reduce((a, b) -> a.or(b))
                        .orElseThrow(),
                true,
                NumaNodeSet.empty(),
                true,
                "6.12",
                OptionalLong.empty());
        return (PlacementDecision) PlacementPlanner.plan(request, seen);
    }

    @ParameterizedTest
    @CsvSource({
        "Partitioned, 64, 64",
        "Partitioned, 70, 70",
        "Partitioned, 34, 66",
        "Interleave, 64, 64",
        "Interleave, 70, 70",
        "Interleave, 34, 66",
        "Partitioned, 2, 2",
        "WeightedInterleave, 64, 64",
        "WeightedInterleave, 70, 102",
        "Bind, 64, 64",
        "Bind, 600, 700",
        "Preferred, 600, 600"
    })
    void rangesHoldTheSharesOfTheDecisionAndEveryBuffer(PlacementPolicy policy, long sizeMib, long maxMib) {
        var decision = decide(policy, sizeMib * MIB, maxMib * MIB);

        var ranges = BufferRanges.of(decision, BUFFER, HUGE);

        var wanted = new TreeMap<Integer, Long>();
        ranges.forEach(range -> range.wantedBytes().forEach((node, bytes) -> wanted.merge(node, bytes, Long::sum)));
        var shares = new TreeMap<Integer, Long>();
        decision.shares().forEach(share -> shares.put(share.numaNode(), share.bytes()));
        assertThat(wanted).isEqualTo(shares);
        assertThat(ranges).allSatisfy(range -> {
            assertThat(range.offsetBytes() % HUGE).isZero();
            assertThat(range.bytes() % HUGE).isZero();
        });
        assertThat(decision.partitions())
                .allSatisfy(partition -> assertThat(ranges).anySatisfy(range -> {
                    long end = partition.offsetBytes() + partition.bufferCount() * BUFFER;
                    assertThat(partition.offsetBytes()).isGreaterThanOrEqualTo(range.offsetBytes());
                    assertThat(end).isLessThanOrEqualTo(range.offsetBytes() + range.bytes());
                }));
    }

    /** Ten pages by 5:1:3:1 over two equal halves of the file: each half has half of every share. */
    @Test
    void everyPartOfAWeightedFileHasItsProportion() {
        var range = BufferRanges.of(decide(PlacementPolicy.WeightedInterleave, 40 * MIB, 40 * MIB), BUFFER, HUGE)
                .getFirst();

        var firstHalf = new TreeMap<Integer, Long>();
        range.stripes().stream()
                .filter(stripe -> stripe.offsetBytes() < 20 * MIB)
                .forEach(stripe -> firstHalf.merge(stripe.numaNode(), stripe.bytes(), Long::sum));

        assertThat(range.wantedBytes())
                .containsExactly(entry(0, 20 * MIB), entry(1, 4 * MIB), entry(2, 12 * MIB), entry(3, 4 * MIB));
        assertThat(firstHalf)
                .containsExactly(entry(0, 10 * MIB), entry(1, 2 * MIB), entry(2, 6 * MIB), entry(3, 2 * MIB));
    }

    @ParameterizedTest
    @CsvSource({"64, 64", "34, 66"})
    void policyNoneWantsNothingInParticular(long sizeMib, long maxMib) {
        var ranges = BufferRanges.of(decide(PlacementPolicy.None, sizeMib * MIB, maxMib * MIB), BUFFER, HUGE);

        assertThat(ranges.stream().mapToLong(PlacedRange::bytes).sum()).isEqualTo(sizeMib * MIB);
        assertThat(ranges).allSatisfy(range -> assertThat(range.wantedBytes()).isEmpty());
    }
}
