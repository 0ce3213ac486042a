package io.numabufferpool.placement;

import static io.numabufferpool.placement.Machines.GI;
import static io.numabufferpool.placement.Machines.HUGE_PAGE;
import static io.numabufferpool.placement.Machines.MI;
import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The planner's rules one by one, on machines that a person can picture. */
class PlacementPlannerTest {
    @Test
    void aFreeContainerGetsEqualSharesOnAllNodes() {
        var decision = decide(Machines.request("Allowed"), Machines.free(Machines.fourNodes()));

        assertThat(decision.method()).isEqualTo(PlacementMethod.Mbind);
        assertThat(decision.numaNodes()).hasToString("0-3");
        assertThat(decision.shares())
                .containsExactly(
                        new NodeShare(0, GI / 4),
                        new NodeShare(1, GI / 4),
                        new NodeShare(2, GI / 4),
                        new NodeShare(3, GI / 4));
        assertThat(decision.partitions()).hasSize(16).allMatch(p -> p.bufferCount() == GI / 16 / 8192);
        assertThat(decision.why())
                .isEqualTo("nodes 0-3: all that the container may use, reached by mbind; 256 MiB on each.");
    }

    @Test
    void theRemainderGoesToTheLowestNodes() {
        var request = sized(Machines.request("Allowed"), 5 * HUGE_PAGE, 5 * HUGE_PAGE);

        var decision = decide(request, Machines.free(Machines.fourNodes()));

        assertThat(decision.shares())
                .containsExactly(
                        new NodeShare(0, 4 * MI),
                        new NodeShare(1, 2 * MI),
                        new NodeShare(2, 2 * MI),
                        new NodeShare(3, 2 * MI));
    }

    @Test
    void aNodeWithoutAnAllowedCpuIsLeftOutWhereMbindIsForbidden() {
        var observation =
                Machines.observe(Machines.fourNodes(), NumaNodeSet.parse("0-3"), CpuSet.parse("0,2-4,6-7"), false);

        var decision = decide(Machines.request("Allowed"), observation);

        assertThat(decision.numaNodes()).hasToString("0,2-3");
        assertThat(decision.method()).isEqualTo(PlacementMethod.PinnedFirstTouch);
        assertThat(decision.dropped()).singleElement().satisfies(dropped -> {
            assertThat(dropped.reason()).isEqualTo(PlacementReason.NumaNodeUnreachable);
            assertThat(dropped.numaNodes()).hasToString("1");
        });
        assertThat(decision.why()).contains("NUMA node 1 is allowed but cannot be reached");
    }

    @Test
    void aListedNodeThatCannotBeReachedIsRefusedWithTheFix() {
        var observation =
                Machines.observe(Machines.fourNodes(), NumaNodeSet.parse("0-3"), CpuSet.parse("0,2-4,6-7"), false);

        var problem = refuse(Machines.request("1"), observation);

        assertThat(problem.reason()).isEqualTo(PlacementReason.NumaNodeUnreachable);
        assertThat(problem.message())
                .isEqualTo(
                        "spec.placement.nodes: 1: NUMA node 1 is allowed but cannot be reached: mbind is forbidden here, and"
                                + " none of the allowed CPUs (0,2-4,6-7) has it as its nearest allowed memory. Nodes that can be"
                                + " reached: 0,2-3. Allow mbind by the seccomp profile, or give the pod a CPU of that node.");
    }

    @Test
    void aSingleAllowedNodeIsReachedFromAnyCpu() {
        var observation = Machines.observe(Machines.fourNodes(), NumaNodeSet.of(1), CpuSet.parse("0,2-4,6-7"), false);

        var decision = decide(Machines.request("Allowed"), observation);

        assertThat(decision.numaNodes()).hasToString("1");
        assertThat(decision.method()).isEqualTo(PlacementMethod.PinnedFirstTouch);
        assertThat(Reachability.of(observation).touchCpus(1)).hasToString("0,2-4,6-7");
    }

    @Test
    void allInANarrowedCpusetIsRefused() {
        var observation = Machines.observe(Machines.fourNodes(), NumaNodeSet.of(1), CpuSet.parse("1,5"), false);

        var problem = refuse(Machines.request("All"), observation);

        assertThat(problem.reason()).isEqualTo(PlacementReason.NumaNodeNotAllowed);
        assertThat(problem.message())
                .isEqualTo(
                        "spec.placement.nodes: All: NUMA nodes 0,2-3 are not among the nodes that this container may use"
                                + " (1, Mems_allowed_list). Use nodes Allowed or a list of those, or let the kubelet's memory manager"
                                + " grant them.");
    }

    @Test
    void tooFewReservedHugePagesNameTheNodeTheNumbersAndTheFix() {
        var nodes = new ArrayList<>(Machines.fourNodes().numaNodes());
        nodes.set(1, Machines.node(1, CpuSet.of(1, 5), 4 * GI, 4, Machines.distances(1, 4)));
        var request = reserved(sized(Machines.request("Allowed"), 128 * MI, 128 * MI), Enforcement.Strict);

        var problem = refuse(request, Machines.free(new NumaTopology(nodes)));

        assertThat(problem.reason()).isEqualTo(PlacementReason.InsufficientHugePages);
        assertThat(problem.message())
                .isEqualTo("NUMA node 1 has 4 free huge pages of 2Mi, its share needs 16. Reserve 12 more on node 1"
                        + " (/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages), use a smaller"
                        + " spec.size, or spec.hugePages.mode Transparent, or spec.placement.enforcement BestEffort to run on"
                        + " a spilled segment.");
    }

    @Test
    void bestEffortGoesOnAndSaysWhatWillSpill() {
        var nodes = new ArrayList<>(Machines.fourNodes().numaNodes());
        nodes.set(1, Machines.node(1, CpuSet.of(1, 5), 4 * GI, 4, Machines.distances(1, 4)));
        var request = reserved(sized(Machines.request("Allowed"), 128 * MI, 128 * MI), Enforcement.BestEffort);

        var decision = decide(request, Machines.free(new NumaTopology(nodes)));

        assertThat(decision.why()).contains("NUMA node 1 has 4 free huge pages of 2Mi, its share needs 16");
    }

    private static PlacementDecision decide(PlacementRequest request, Observation observation) {
        var outcome = PlacementPlanner.plan(request, observation);
        assertThat(outcome).isInstanceOf(PlacementDecision.class);
        return (PlacementDecision) outcome;
    }

    private static PlacementProblem refuse(PlacementRequest request, Observation observation) {
        var outcome = PlacementPlanner.plan(request, observation);
        assertThat(outcome).isInstanceOf(PlacementProblem.class);
        return (PlacementProblem) outcome;
    }

    private static PlacementRequest sized(PlacementRequest r, long size, long maxSize) {
        return new PlacementRequest(
                size,
                maxSize,
                r.bufferBytes(),
                r.hugePageMode(),
                r.hugePageBytes(),
                r.policy(),
                r.nodes(),
                r.memoryOnlyNodes(),
                r.enforcement(),
                r.partitionsPerNode());
    }

    private static PlacementRequest reserved(PlacementRequest r, Enforcement enforcement) {
        return new PlacementRequest(
                r.sizeBytes(),
                r.maxSizeBytes(),
                r.bufferBytes(),
                HugePageMode.Reserved,
                r.hugePageBytes(),
                r.policy(),
                r.nodes(),
                r.memoryOnlyNodes(),
                enforcement,
                r.partitionsPerNode());
    }
}
