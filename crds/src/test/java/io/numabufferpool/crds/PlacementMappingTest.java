package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What travels says the same as what the planner works with. */
class PlacementMappingTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aSpecBecomesARequestInBytes() {
        var spec = new NumaBufferPoolSpec(
                "4Gi",
                "16Gi",
                BufferSize.KI_16,
                new HugePagesSpec(HugePageMode.Reserved, HugePageUnit.GI_1),
                new PlacementSpec(
                        PlacementPolicy.Interleave,
                        "0-1,3",
                        MemoryOnlyNodes.Include,
                        null,
                        false,
                        Enforcement.BestEffort,
                        Sharing.Shared,
                        Goal.Bandwidth),
                8,
                SlotsSpec.DEFAULT,
                List.of("*"),
                Access.ReadWrite,
                null,
                null,
                null);

        assertThat(PlacementMapping.toRequest(spec))
                .isEqualTo(new PlacementRequest(
                        4L << 30,
                        16L << 30,
                        16384,
                        HugePageMode.Reserved,
                        1L << 30,
                        PlacementPolicy.Interleave,
                        new NodeSelection.Listed(NumaNodeSet.of(0, 1, 3)),
                        true,
                        Enforcement.BestEffort,
                        8));
    }

    @Test
    void maxSizeIsSizeWhereAbsent() {
        assertThat(PlacementMapping.toRequest(NumaBufferPoolSpec.ofSize("4Gi")).maxSizeBytes())
                .isEqualTo(4L << 30);
    }

    @Test
    void aSpecThatBreaksARuleBecomesNoRequest() {
        assertThatThrownBy(() -> PlacementMapping.toRequest(NumaBufferPoolSpec.ofSize("3Mi")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spec.size: 3Mi is not a multiple of hugePages.size 2Mi; use 2Mi or 4Mi.");
    }

    @ParameterizedTest
    @EnumSource(
            value = PlacementPolicy.class,
            names = {"Partitioned", "Interleave", "None"})
    void aDecisionComesBackAsItWentThroughJson(PlacementPolicy policy) throws JsonProcessingException {
        var request = request(policy, "1Gi");
        var decision = (PlacementDecision) PlacementPlanner.plan(request, observation(4, OptionalLong.empty()));

        var travelled = JSON.writeValueAsString(PlacementMapping.toApi(decision, DecidedBy.Operator));
        var back = PlacementMapping.toDecision(JSON.readValue(travelled, NumaPlacementDecision.class), request);

        assertThat(back).isEqualTo(decision);
        assertThat(back.dropped()).hasSize(policy == PlacementPolicy.None ? 0 : 1);
    }

    @Test
    void aDecisionForAnotherGenerationOfThePoolIsRefused() {
        var request = request(PlacementPolicy.Partitioned, "1Gi");
        var decision = (PlacementDecision) PlacementPlanner.plan(request, observation(4, OptionalLong.empty()));
        var api = PlacementMapping.toApi(decision, DecidedBy.Operator);

        assertThatThrownBy(() -> PlacementMapping.toDecision(api, request(PlacementPolicy.Partitioned, "2Gi")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The decision does not fit the pool's spec: decision.shares is ");
        assertThatThrownBy(() -> PlacementMapping.toDecision(api, request(PlacementPolicy.Interleave, "1Gi")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "The decision does not fit the pool's spec: decision.policy is Partitioned, the spec gives Interleave");
    }

    @Test
    void anObservationComesBackAsItWentThroughJson() throws JsonProcessingException {
        for (var limit : List.of(OptionalLong.empty(), OptionalLong.of(5L << 30))) {
            var observation = observation(4, limit);

            var travelled = JSON.writeValueAsString(PlacementMapping.toApi(observation, null));
            var back = PlacementMapping.toObservation(JSON.readValue(travelled, ObservationStatus.class));

            assertThat(back).isEqualTo(observation);
        }
    }

    @Test
    void freeMemoryIsToldCoarsely() {
        var node = new NumaNode(0, CpuSet.of(0), 16 << 20, (5 << 20) + 12345, List.of(), List.of(10));
        var observation = observation(new NumaTopology(List.of(node)), OptionalLong.empty());

        assertThat(PlacementMapping.toApi(observation, null)
                        .numaNodes()
                        .getFirst()
                        .freeBytes())
                .isEqualTo(5 << 20);
    }

    @Test
    void theDistancesOfAVeryLargeMachineStayAtHome() throws JsonProcessingException {
        var observation = observation(1024, OptionalLong.empty());

        var travelled = JSON.writeValueAsString(PlacementMapping.toApi(observation, null));

        assertThat(travelled.length()).isLessThan(PlacementReport.BODY_BYTES_MAX);
        assertThat(PlacementMapping.toObservation(JSON.readValue(travelled, ObservationStatus.class))
                        .topology()
                        .numaNodes())
                .hasSize(1024);
    }

    private static PlacementRequest request(PlacementPolicy policy, String size) {
        return PlacementMapping.toRequest(NumaBufferPoolSpec.ofSize(size)
                .withPlacement(PlacementSpec.of(policy, "Allowed", Enforcement.BestEffort)));
    }

    /** The last node has no CPUs. */
    private static Observation observation(int nodeCount, OptionalLong memoryLimit) {
        var nodes = new ArrayList<NumaNode>();
        for (int n = 0; n < nodeCount; n++) {
            var distances = new ArrayList<Integer>();
            for (int to = 0; to < nodeCount; to++) {
                distances.add(to == n ? 10 : 20 + to);
            }
            nodes.add(new NumaNode(
                    n,
                    n == nodeCount - 1 ? CpuSet.empty() : CpuSet.of(n, n + nodeCount),
                    16L << 30,
                    8L << 30,
                    List.of(new NumaNode.HugePagePool(2 << 20, 64, 60, 1)),
                    distances));
        }
        return observation(new NumaTopology(nodes), memoryLimit);
    }

    private static Observation observation(NumaTopology topology, OptionalLong memoryLimit) {
        return new Observation(
                topology,
                topology.all(),
                CpuSet.parse("0-1"),
                true,
                NumaNodeSet.of(1),
                false,
                "5.10.0-test",
                memoryLimit);
    }
}
