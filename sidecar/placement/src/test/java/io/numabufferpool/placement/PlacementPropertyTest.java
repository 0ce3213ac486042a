package io.numabufferpool.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What holds for every plan, and agreement with the reference, on many random cases. A failure names the seed of its case. */
class PlacementPropertyTest {
    /** Enough that every reason comes up many times, and done in a few seconds. */
    private static final int CASES = 8_000;

    /** For the two that matter most: 100,000 take some 15 seconds. */
    private static final int CASES_OF_THE_REFERENCE = 100_000;

    private static final Set<PlacementPolicy> SHARED_EQUALLY =
            EnumSet.of(PlacementPolicy.Partitioned, PlacementPolicy.Interleave);

    private static final long SEED = Long.getLong("numapool.seed", 20_261_201L);

    @Test
    void thePlannerAgreesWithTheReference() {
        var reasons = new EnumMap<PlacementReason, Integer>(PlacementReason.class);
        forEachCase(CASES_OF_THE_REFERENCE, (request, observation) -> {
            var reference = new ReferencePlan(request, observation);
            var outcome = PlacementPlanner.plan(request, observation);
            switch (outcome) {
                case PlacementProblem problem -> {
                    assertThat(reference.refused).contains(problem.reason());
                    reasons.merge(problem.reason(), 1, Integer::sum);
                }
                case PlacementDecision decision -> {
                    assertThat(reference.refused).isEmpty();
                    assertThat(decision.numaNodes().stream().boxed()).containsExactlyElementsOf(reference.numaNodes);
                    assertThat(decision.shares())
                            .containsExactlyElementsOf(reference.pages.entrySet().stream()
                                    .map(share ->
                                            new NodeShare(share.getKey(), share.getValue() * request.hugePageBytes()))
                                    .toList());
                }
            }
        });
        assertThat(reasons.keySet()).as("reasons that came up: %s", reasons).hasSize(PlacementReason.values().length);
    }

    @Test
    void sharesAddUpAndDifferByOnePageAtMost() {
        forEachDecision((request, decision) -> {
            if (request.policy() == PlacementPolicy.None) {
                assertThat(decision.shares()).isEmpty();
                return;
            }
            var shares = decision.shares().stream().mapToLong(NodeShare::bytes).summaryStatistics();
            assertThat(shares.getSum()).isEqualTo(request.sizeBytes());
            assertThat(shares.getMin()).isPositive();
            assertThat(decision.shares()).allMatch(share -> share.bytes() % request.hugePageBytes() == 0);
            assertThat(decision.shares().stream().map(NodeShare::numaNode))
                    .containsExactlyElementsOf(
                            decision.numaNodes().stream().boxed().toList());
            if (SHARED_EQUALLY.contains(request.policy())) {
                assertThat(shares.getMax() - shares.getMin()).isIn(0L, request.hugePageBytes());
                assertThat(decision.shares()).isSortedAccordingTo((a, b) -> Long.compare(b.bytes(), a.bytes()));
            }
        });
    }

    /** After whole cycles the shares are exactly as the weights. */
    @Test
    void weightedSharesAreInProportion() {
        forEachDecision((request, decision) -> {
            long cyclePages = decision.shares().stream()
                    .mapToLong(share -> request.weights().getOrDefault(share.numaNode(), 1))
                    .sum();
            long cycleBytes = cyclePages * request.hugePageBytes();
            if (request.policy() == PlacementPolicy.WeightedInterleave
                    && !request.weights().isEmpty()
                    && request.sizeBytes() % cycleBytes == 0) {
                assertThat(decision.shares())
                        .allSatisfy(share -> assertThat(share.bytes() * cyclePages)
                                .isEqualTo(
                                        request.sizeBytes() * request.weights().getOrDefault(share.numaNode(), 1)));
            }
        });
    }

    /** No node is used before the free memory of those below it is. */
    @Test
    void bindAndPreferredUseAHigherNodeOnlyWhenTheLowerAreFull() {
        forEachCase(CASES, (request, observation) -> {
            if (request.policy().fillsInOrder()
                    && request.hugePageMode() == HugePageMode.Reserved
                    && PlacementPlanner.plan(request, observation) instanceof PlacementDecision decision) {
                decision.shares().stream()
                        .limit(decision.shares().size() - 1)
                        .forEach(share -> assertThat(share.bytes() / request.hugePageBytes())
                                .isGreaterThanOrEqualTo(observation
                                        .topology()
                                        .find(share.numaNode())
                                        .orElseThrow()
                                        .freeHugePages(request.hugePageBytes())));
            }
        });
    }

    @Test
    void partitionsCoverTheFileAndHoldEveryNodesShare() {
        forEachDecision((request, decision) -> {
            long offset = 0;
            var bytes = new TreeMap<Integer, Long>();
            var seen = new HashSet<Integer>();
            for (var partition : decision.partitions()) {
                assertThat(partition.offsetBytes()).isEqualTo(offset);
                assertThat(partition.bufferCount()).isBetween(1L, partition.bufferCapacity());
                if (seen.add(partition.numaNode())) {
                    assertThat(offset % request.hugePageBytes())
                            .as("a node begins on a huge page")
                            .isZero();
                }
                if (request.maxSizeBytes() > request.sizeBytes()) {
                    assertThat(partition.bufferCount() * request.bufferBytes() % request.hugePageBytes())
                            .as("room to grow: populated in whole pages")
                            .isZero();
                }
                bytes.merge(partition.numaNode(), partition.bufferCount() * request.bufferBytes(), Long::sum);
                offset += partition.bufferCapacity() * request.bufferBytes();
            }
            assertThat(offset).isEqualTo(request.maxSizeBytes());
            assertThat(bytes.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(request.sizeBytes());
            if (request.policy().partitionsOnSingleNodes()) {
                assertThat(bytes).hasSameSizeAs(decision.shares());
                decision.shares().forEach(share -> assertThat(bytes).containsEntry(share.numaNode(), share.bytes()));
            } else {
                assertThat(bytes).containsOnlyKeys(PlacementDecision.NO_SINGLE_NODE);
            }
        });
    }

    @Test
    void noPartitionIsMuchSmallerThanAnother() {
        forEachDecision((request, decision) -> {
            var counts = decision.partitions().stream()
                    .mapToLong(PlacementDecision.PartitionPlan::bufferCount)
                    .summaryStatistics();
            long perNode =
                    (long) decision.partitions().size() / decision.numaNodes().size();
            assertThat(perNode).isLessThanOrEqualTo(request.partitionsPerNode());
            if (perNode > 1 && !request.policy().fillsInOrder()) {
                assertThat(counts.getMin()).isGreaterThanOrEqualTo(PartitionSplit.BUFFERS_PER_PARTITION_MIN);
            }
        });
    }

    @Test
    void everyNodeOfThePlanIsAllowedAndReachable() {
        forEachCase(CASES, (request, observation) -> {
            if (PlacementPlanner.plan(request, observation) instanceof PlacementDecision decision) {
                assertThat(observation.memsAllowed().containsAll(decision.numaNodes()))
                        .isTrue();
                if (request.policy() != PlacementPolicy.None) {
                    assertThat(Reachability.of(observation).reachable().containsAll(decision.numaNodes()))
                            .isTrue();
                }
                decision.dropped()
                        .forEach(dropped -> assertThat(dropped.numaNodes()
                                        .and(decision.numaNodes())
                                        .isEmpty())
                                .isTrue());
            }
        });
    }

    @Test
    void everyNodeOfAPinnedPlanHasACpuToTouchItFrom() {
        forEachCase(CASES, (request, observation) -> {
            if (PlacementPlanner.plan(request, observation) instanceof PlacementDecision decision
                    && decision.method() == PlacementMethod.PinnedFirstTouch
                    && !observation.cpusAllowed().isEmpty()) {
                var reachability = Reachability.of(observation);
                decision.numaNodes().stream().forEach(numaNode -> {
                    var cpus = reachability.touchCpus(numaNode);
                    assertThat(cpus.isEmpty()).isFalse();
                    assertThat(observation.cpusAllowed().containsAll(cpus)).isTrue();
                });
            }
        });
    }

    @Test
    void theSameInputGivesTheSameTextTwice() {
        forEachCase(
                CASES_OF_THE_REFERENCE,
                (request, observation) -> assertThat(PlanFixture.render(PlacementPlanner.plan(request, observation)))
                        .isEqualTo(PlanFixture.render(PlacementPlanner.plan(request, observation))));
    }

    /** More rights can only add nodes: a pool that fits a container fits the same container with mbind. */
    @Test
    void allowingMbindTakesNoNodeAway() {
        forEachCase(CASES, (request, observation) -> {
            var more = with(observation, true);
            if (!observation.mbindAllowed()
                    && request.nodes() instanceof NodeSelection.Allowed
                    && request.hugePageMode() != HugePageMode.Reserved
                    && PlacementPlanner.plan(request, observation) instanceof PlacementDecision before
                    && PlacementPlanner.plan(request, more) instanceof PlacementDecision after) {
                assertThat(after.numaNodes().containsAll(before.numaNodes())
                                || after.numaNodes().size()
                                        >= before.numaNodes().size())
                        .isTrue();
            }
        });
    }

    @Test
    void aLargerPoolTakesNothingFromAnyNode() {
        forEachCase(CASES, (request, observation) -> {
            if (PlacementPlanner.plan(request, observation) instanceof PlacementDecision decision) {
                var larger = new Shares(sized(request, request.sizeBytes() + request.hugePageBytes()))
                        .of(decision.numaNodes(), observation.topology());
                for (int i = 0; i < decision.shares().size(); i++) {
                    assertThat(larger.get(i).bytes())
                            .isGreaterThanOrEqualTo(decision.shares().get(i).bytes());
                }
            }
        });
    }

    /** What a decision leaves out when it travels follows from the rest. */
    @Test
    void thePartitionsFollowFromNodesAndShares() {
        forEachDecision((request, decision) -> {
            assertThat(PlacementPlanner.partitions(request, decision.numaNodes(), decision.shares()))
                    .isEqualTo(decision.partitions());
            PlacementPlanner.findShares(request, decision.numaNodes())
                    .ifPresent(shares -> assertThat(shares).isEqualTo(decision.shares()));
        });
    }

    @Test
    void everyProblemNamesAFieldAndEndsAsASentence() {
        forEachCase(CASES, (request, observation) -> {
            if (PlacementPlanner.plan(request, observation) instanceof PlacementProblem problem) {
                assertThat(problem.message()).contains("spec.").endsWith(".").doesNotContain("\n", "null", "  ", "..");
            }
        });
    }

    private static void forEachDecision(BiConsumer<PlacementRequest, PlacementDecision> check) {
        forEachCase(CASES, (request, observation) -> {
            if (PlacementPlanner.plan(request, observation) instanceof PlacementDecision decision) {
                check.accept(request, decision);
            }
        });
    }

    private static void forEachCase(int cases, BiConsumer<PlacementRequest, Observation> check) {
        for (int i = 0; i < cases; i++) {
            long seed = SEED + i;
            var random = new RandomCases(seed).next();
            try {
                check.accept(random.request(), random.observation());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dnumapool.seed=" + seed + ": " + random, e);
            }
        }
    }

    private static Observation with(Observation o, boolean mbindAllowed) {
        return new Observation(
                o.topology(),
                o.memsAllowed(),
                o.cpusAllowed(),
                mbindAllowed,
                o.taskPolicyNodes(),
                o.collapseSupported(),
                o.kernelRelease(),
                o.memoryLimitBytes());
    }

    private static PlacementRequest sized(PlacementRequest r, long size) {
        return new PlacementRequest(
                size,
                Math.max(size, r.maxSizeBytes()),
                r.bufferBytes(),
                r.hugePageMode(),
                r.hugePageBytes(),
                r.policy(),
                r.nodes(),
                r.memoryOnlyNodes(),
                r.enforcement(),
                r.partitionsPerNode(),
                r.weights());
    }
}
