package io.numabufferpool.placement;

import static io.numabufferpool.placement.Machines.GI;
import static io.numabufferpool.placement.Machines.HUGE_PAGE;
import static io.numabufferpool.placement.Machines.MI;
import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A segment that exists follows a new decision as far as its partitions let it. */
class LivePlanTest {
    private static final PlacementRequest REQUEST = Machines.request("Allowed");

    private static PlacementDecision decide(PlacementRequest request, String mems) {
        var cpus = CpuSet.parse("0-7");
        return (PlacementDecision) PlacementPlanner.plan(
                request, Machines.observe(Machines.fourNodes(), NumaNodeSet.parse(mems), cpus, true));
    }

    private static PlacementDecision adapt(PlacementDecision inForce, PlacementRequest request, String mems) {
        return (PlacementDecision) LivePlan.adapt(inForce, decide(request, mems), request);
    }

    private static PlacementRequest sized(long sizeBytes, long maxSizeBytes) {
        return new PlacementRequest(
                sizeBytes,
                maxSizeBytes,
                REQUEST.bufferBytes(),
                REQUEST.hugePageMode(),
                REQUEST.hugePageBytes(),
                REQUEST.policy(),
                REQUEST.nodes(),
                REQUEST.memoryOnlyNodes(),
                REQUEST.enforcement(),
                REQUEST.partitionsPerNode());
    }

    @Test
    void withTwoOfFourNodesLeftTheirPartitionsStayAndTheOthersMove() {
        var before = decide(REQUEST, "0-3");

        var after = adapt(before, REQUEST, "0-1");

        assertThat(after.numaNodes()).hasToString("0-1");
        assertThat(after.shares()).containsExactly(new NodeShare(0, GI / 2), new NodeShare(1, GI / 2));
        for (int i = 0; i < 8; i++) {
            assertThat(after.partitions().get(i)).isEqualTo(before.partitions().get(i));
        }
        assertThat(after.partitions().subList(8, 16))
                .extracting(PartitionPlan::numaNode)
                .containsOnly(0, 1);
    }

    @Test
    void theSameDecisionMovesNothing() {
        var before = decide(REQUEST, "0-3");

        assertThat(adapt(before, REQUEST, "0-3")).isEqualTo(before);
    }

    @Test
    void theWayBackGivesEqualSharesAgain() {
        var before = decide(REQUEST, "0-3");

        var back = adapt(adapt(before, REQUEST, "2"), REQUEST, "0-3");

        assertThat(back.shares()).isEqualTo(before.shares());
    }

    @Test
    void aSegmentWithFewerPartitionsThanNodesUsesAsManyNodesAsItHasPartitionsAndSaysSo() {
        var small = sized(2 * HUGE_PAGE, 2 * HUGE_PAGE);
        var before = decide(small, "1-2");

        var after = adapt(before, sized(2 * HUGE_PAGE, 2 * HUGE_PAGE), "0-3");

        assertThat(after.partitions()).hasSameSizeAs(before.partitions());
        assertThat(after.partitions()).extracting(PartitionPlan::numaNode).allMatch(node -> node >= 0 && node <= 3);
    }

    @Test
    void aPoolGrowsAndShrinksInWholePagesOfEveryPartition() {
        var small = sized(64 * MI, 256 * MI);
        var before = decide(small, "0-3");

        var grown = adapt(before, sized(200 * MI, 256 * MI), "0-3");
        var shrunk = adapt(grown, sized(32 * MI, 256 * MI), "0-3");

        assertThat(bytes(grown)).isEqualTo(200 * MI);
        assertThat(bytes(shrunk)).isEqualTo(32 * MI);
        assertThat(grown.partitions()).allSatisfy(plan -> {
            assertThat(plan.bufferCount() * REQUEST.bufferBytes() % HUGE_PAGE).isZero();
            assertThat(plan.bufferCount()).isBetween(1L, plan.bufferCapacity());
        });
        assertThat(adapt(shrunk, small, "0-3").partitions()).isEqualTo(before.partitions());
    }

    private static long bytes(PlacementDecision decision) {
        return decision.partitions().stream()
                .mapToLong(plan -> plan.bufferCount() * REQUEST.bufferBytes())
                .sum();
    }

    @Test
    void whatCannotBeReachedIsRefusedWithTheWayOut() {
        var growable = decide(sized(64 * MI, 256 * MI), "0-3");
        var full = decide(sized(60 * MI, 60 * MI), "0-3");

        assertThat(refusal(growable, 258 * MI)).contains("258Mi", "room for 256 MiB", "Restart the pods");
        assertThat(refusal(growable, 16 * MI)).contains("16 partitions need a page", "Use 32Mi or more");
        assertThat(refusal(full, 32 * MI)).contains("spec.maxSize was spec.size");
    }

    private static String refusal(PlacementDecision inForce, long sizeBytes) {
        var request = sized(sizeBytes, 512 * MI);
        var outcome = LivePlan.adapt(inForce, decide(request, "0-3"), request);
        assertThat(outcome).isInstanceOf(PlacementProblem.class);
        return ((PlacementProblem) outcome).message();
    }

    @Test
    void interleavedPartitionsKeepTheirBuffersAndTakeTheNewShares() {
        var request = new PlacementRequest(
                64 * MI,
                64 * MI,
                8192,
                HugePageMode.Transparent,
                HUGE_PAGE,
                PlacementPolicy.Interleave,
                REQUEST.nodes(),
                false,
                Enforcement.Strict,
                4);
        var before = decide(request, "0-3");

        var after = adapt(before, request, "1,3");

        assertThat(after.partitions()).isEqualTo(before.partitions());
        assertThat(after.shares()).containsExactly(new NodeShare(1, 32 * MI), new NodeShare(3, 32 * MI));
    }

    @Test
    void whateverComesBytesAreKeptAndOnlyWantedNodesAreUsed() {
        long seed = Long.getLong("numapool.seed", System.nanoTime());
        System.out.println("LivePlanTest seed " + seed);
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            long max = (16 + random.nextInt(200)) * HUGE_PAGE;
            var decision = decide(sized((16 + random.nextLong(max / HUGE_PAGE - 15)) * HUGE_PAGE, max), mems(random));
            for (int step = 0; step < 4; step++) {
                var mems = mems(random);
                var request = sized((16 + random.nextLong(max / HUGE_PAGE - 15)) * HUGE_PAGE, max);
                if (!(LivePlan.adapt(decision, decide(request, mems), request) instanceof PlacementDecision next)) {
                    continue;
                }
                assertThat(bytes(next)).isEqualTo(request.sizeBytes());
                assertThat(next.shares().stream().mapToLong(NodeShare::bytes).sum())
                        .isEqualTo(request.sizeBytes());
                assertThat(next.partitions())
                        .allMatch(plan -> NumaNodeSet.parse(mems).contains(plan.numaNode()));
                decision = next;
            }
        }
    }

    private static String mems(SplittableRandom random) {
        int bits = 1 + random.nextInt(15);
        return NumaNodeSet.of(IntStream.range(0, 4)
                        .filter(node -> (bits >> node & 1) != 0)
                        .toArray())
                .toString();
    }
}
