package io.numabufferpool.placement;

import io.numabufferpool.placement.NodeResolution.Resolved;
import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides where a segment goes. A pure function: operator and sidecar call it with the same input and get the same answer,
 * byte for byte.
 */
public final class PlacementPlanner {
    private final PlacementRequest request;
    private final Observation observation;
    private final Reachability reachability;

    private PlacementPlanner(PlacementRequest request, Observation observation) {
        this.request = request;
        this.observation = observation;
        this.reachability = Reachability.of(observation);
    }

    /** The node set, shares, partitions and method, or the first problem with its numbers and the fix. */
    public static PlacementOutcome plan(PlacementRequest request, Observation observation) {
        var invalid = RequestCheck.first(request);
        if (invalid.isPresent()) {
            return invalid.get();
        }
        return new PlacementPlanner(request, observation).plan();
    }

    /**
     * The shares that follow from a request and a node set; none under policy None. Empty where free memory or the kernel's
     * weights have a say, so that only who saw the machine can tell.
     */
    public static Optional<List<NodeShare>> findShares(PlacementRequest request, NumaNodeSet numaNodes) {
        var shares = new Shares(request);
        return shares.followFromNodes()
                ? Optional.of(shares.of(numaNodes, new NumaTopology(List.of())))
                : Optional.empty();
    }

    /** The partitions that follow from a request and its shares, so that a decision need not carry them. */
    public static List<PartitionPlan> partitions(
            PlacementRequest request, NumaNodeSet numaNodes, List<NodeShare> shares) {
        return new PartitionSplit(request, numaNodes, shares).partitions();
    }

    private PlacementOutcome plan() {
        return switch (new NodeResolver(request, observation, reachability).resolve()) {
            case PlacementProblem problem -> problem;
            case Resolved resolved -> decide(resolved);
        };
    }

    private PlacementOutcome decide(Resolved resolved) {
        var numaNodes = resolved.numaNodes();
        var dropped = new ArrayList<>(resolved.dropped());
        long pages = request.sizeBytes() / request.hugePageBytes();
        boolean everyNodeHoldsSome =
                request.policy() != PlacementPolicy.None && !request.policy().fillsInOrder();
        if (pages < numaNodes.size() && everyNodeHoldsSome) {
            var without = NumaNodeSet.of(numaNodes.stream().skip(pages).toArray());
            var message = tooSmall(numaNodes, without);
            if (!(request.nodes() instanceof NodeSelection.Allowed)) {
                return new PlacementProblem(PlacementReason.PoolTooSmall, message);
            }
            numaNodes = numaNodes.minus(without);
            dropped.add(new DroppedNodes(without, PlacementReason.PoolTooSmall, message));
        }
        var shares = new Shares(request).of(numaNodes, observation.topology());
        var chosen = numaNodes;
        if (request.policy().fillsInOrder()) {
            numaNodes =
                    NumaNodeSet.of(shares.stream().mapToInt(NodeShare::numaNode).toArray());
        }
        var split = new PartitionSplit(request, numaNodes, shares);
        var capacity = new CapacityCheck(request, observation, shares);
        Optional<PlacementProblem> problem = capacity.problem();
        if (problem.isPresent()) {
            return problem.get();
        }
        var method = method(numaNodes);
        var notes = new ArrayList<>(new PolicyNotes(request, observation, chosen).of(numaNodes));
        notes.addAll(capacity.notes());
        var why = new Why(request, observation, numaNodes, method)
                .render(shares, split.partitionsPerNode(), dropped, notes);
        return new PlacementDecision(request.policy(), method, numaNodes, shares, split.partitions(), dropped, why);
    }

    private String tooSmall(NumaNodeSet numaNodes, NumaNodeSet without) {
        return "spec.size: " + ByteCount.asQuantity(request.sizeBytes()) + " is fewer pages of "
                + ByteCount.asQuantity(request.hugePageBytes()) + " than there are nodes (" + numaNodes
                + "), nothing is left for "
                + without + "; use "
                + ByteCount.asQuantity(Math.multiplyExact(request.hugePageBytes(), (long) numaNodes.size()))
                + " or more.";
    }

    /** The placement ladder, best rung first. */
    private PlacementMethod method(NumaNodeSet numaNodes) {
        if (request.policy() == PlacementPolicy.None) {
            return PlacementMethod.None;
        }
        if (observation.mbindAllowed()) {
            return PlacementMethod.Mbind;
        }
        var bound = reachability.boundByTaskPolicy();
        boolean policyDoesIt =
                bound.equals(numaNodes) && (bound.size() == 1 || request.policy() == PlacementPolicy.Interleave);
        if (policyDoesIt) {
            return PlacementMethod.TaskPolicy;
        }
        boolean touchable = numaNodes.stream()
                .allMatch(numaNode -> !reachability.touchCpus(numaNode).isEmpty());
        return touchable || bound.isEmpty() ? PlacementMethod.PinnedFirstTouch : PlacementMethod.TaskPolicy;
    }
}
