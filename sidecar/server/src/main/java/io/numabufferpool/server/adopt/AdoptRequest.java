package io.numabufferpool.server.adopt;

import io.numabufferpool.crds.AdoptKind;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementOutcome;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.placement.PlacementRequest;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a person wants for the segments of a program. Immutable.
 *
 * @param nodes which NUMA nodes
 * @param policy how pages are spread; None where nodes are off
 * @param weights by NUMA node, for WeightedInterleave; empty: the kernel's, else equal ones
 * @param hugePages which pages
 * @param minBytes smaller segments are left alone
 * @param kinds which segments
 */
public record AdoptRequest(
        NodeWords nodes,
        PlacementPolicy policy,
        SortedMap<Integer, Integer> weights,
        HugePageMode hugePages,
        long minBytes,
        Set<AdoptKind> kinds) {
    /** A stripe, and the least share of a node. */
    private static final long HUGE_PAGE_BYTES = 2L << 20;

    private static final long BUFFER_BYTES = 8192;

    public AdoptRequest {
        policy = nodes.off() ? PlacementPolicy.None : policy;
        weights = new TreeMap<>(weights);
        kinds = Set.copyOf(kinds);
    }

    /**
     * The decision for this machine. A program's segment has no size yet, so the planner is asked for one that is small enough
     * to fit and large enough for every node to have a share; only its node set is used.
     */
    public PlacementOutcome plan(Observation observation) {
        int nodes = Math.max(1, observation.topology().numaNodes().size());
        long bytes = Math.multiplyExact(HUGE_PAGE_BYTES, nodes);
        var mode = hugePages == HugePageMode.Reserved ? HugePageMode.Never : hugePages;
        var request = new PlacementRequest(
                bytes,
                bytes,
                BUFFER_BYTES,
                mode,
                HUGE_PAGE_BYTES,
                policy.fillsInOrder() ? PlacementPolicy.Interleave : policy,
                this.nodes.selection(),
                false,
                Enforcement.BestEffort,
                1,
                weights);
        return switch (PlacementPlanner.plan(request, observation)) {
            case PlacementProblem problem ->
                new PlacementProblem(problem.reason(), inWordsOfTheCommand(problem.message()));
            case PlacementDecision decision -> decision;
        };
    }

    /** The planner speaks of the resource's fields. */
    private static String inWordsOfTheCommand(String message) {
        return message.replace("spec.placement.nodes", "--nodes")
                .replace("spec.placement.policy", "--policy")
                .replace("spec.placement.weights", "--weights");
    }

    /** The weight of each node that is used: as given, else as the kernel has it, else 1. */
    public SortedMap<Integer, Integer> weightsOf(PlacementDecision decision, Observation observation) {
        var all = new TreeMap<Integer, Integer>();
        decision.numaNodes().stream().forEach(index -> {
            int known = observation
                    .topology()
                    .find(index)
                    .map(NumaNode::interleaveWeight)
                    .orElse(NumaNode.WEIGHT_UNKNOWN);
            int otherwise =
                    weights.isEmpty() && known != NumaNode.WEIGHT_UNKNOWN ? known : PlacementRequest.WEIGHT_DEFAULT;
            all.put(index, weights.getOrDefault(index, otherwise));
        });
        return all;
    }
}
