package io.numabufferpool.placement;

import static io.numabufferpool.placement.PlacementReason.MemoryOnlyNode;
import static io.numabufferpool.placement.PlacementReason.NoNumaNode;
import static io.numabufferpool.placement.PlacementReason.NumaNodeNotAllowed;
import static io.numabufferpool.placement.PlacementReason.NumaNodeNotPresent;
import static io.numabufferpool.placement.PlacementReason.NumaNodeUnreachable;
import static io.numabufferpool.placement.PlacementReason.NumaNodeWithoutMemory;

import io.numabufferpool.placement.NodeResolution.Resolved;
import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * From {@code spec.placement.nodes} and what the container may use and can reach to the node set. A node that was asked for
 * by name or by {@code All} and cannot be had is a problem; {@code Allowed} leaves it out and says so.
 */
final class NodeResolver {
    private final PlacementRequest request;
    private final Observation observation;
    private final Reachability reachability;
    private final NumaNodeSet present;
    private final NumaNodeSet withMemory;
    private final NumaNodeSet memoryOnly;

    NodeResolver(PlacementRequest request, Observation observation, Reachability reachability) {
        this.request = request;
        this.observation = observation;
        this.reachability = reachability;
        this.present = observation.topology().all();
        this.withMemory = Reachability.withMemory(observation.topology());
        this.memoryOnly = NumaNodeSet.of(observation.topology().numaNodes().stream()
                .filter(node -> node.memoryBytes() > 0 && node.cpus().isEmpty())
                .mapToInt(NumaNode::index)
                .toArray());
    }

    NodeResolution resolve() {
        if (request.nodes() instanceof NodeSelection.Listed(var listed) && listed.isEmpty()) {
            return new PlacementProblem(
                    NoNumaNode, "spec.placement.nodes: the list is empty; use nodes Allowed or a list such as 0-1,3.");
        }
        if (request.policy() == PlacementPolicy.None) {
            return firstTouch();
        }
        return switch (request.nodes()) {
            case NodeSelection.Allowed _ -> allowed();
            case NodeSelection.All _ -> all();
            case NodeSelection.Listed(var listed) -> listed(listed);
        };
    }

    /** Under None the kernel takes what it likes of what it may: nothing is left out, and nothing can be asked for. */
    private NodeResolution firstTouch() {
        if (!(request.nodes() instanceof NodeSelection.Allowed)) {
            return new PlacementProblem(
                    PlacementReason.InvalidSpec,
                    "spec.placement.nodes: " + request.nodes().text()
                            + " has no effect under spec.placement.policy None, where the kernel's first touch chooses; use nodes"
                            + " Allowed, or policy Partitioned or Interleave.");
        }
        var allowed = observation.memsAllowed().and(withMemory);
        return allowed.isEmpty() ? noneLeft(List.of()) : new Resolved(allowed, List.of());
    }

    private NodeResolution allowed() {
        var dropped = new ArrayList<DroppedNodes>();
        var candidates = observation.memsAllowed().and(present);
        candidates = drop(candidates, candidates.minus(withMemory), NumaNodeWithoutMemory, dropped);
        candidates = drop(candidates, excludedMemoryOnly(candidates), MemoryOnlyNode, dropped);
        candidates = drop(candidates, candidates.minus(reachability.reachable()), NumaNodeUnreachable, dropped);
        return candidates.isEmpty() ? noneLeft(dropped) : new Resolved(candidates, dropped);
    }

    private NodeResolution all() {
        var dropped = new ArrayList<DroppedNodes>();
        var candidates = drop(present, present.minus(withMemory), NumaNodeWithoutMemory, dropped);
        candidates = drop(candidates, excludedMemoryOnly(candidates), MemoryOnlyNode, dropped);
        var notAllowed = candidates.minus(observation.memsAllowed());
        if (!notAllowed.isEmpty()) {
            return refuse(NumaNodeNotAllowed, notAllowed);
        }
        var unreachable = candidates.minus(reachability.reachable());
        if (!unreachable.isEmpty()) {
            return refuse(NumaNodeUnreachable, unreachable);
        }
        return candidates.isEmpty() ? noneLeft(dropped) : new Resolved(candidates, dropped);
    }

    private NodeResolution listed(NumaNodeSet listed) {
        if (!present.containsAll(listed)) {
            return refuse(NumaNodeNotPresent, listed.minus(present));
        }
        if (!withMemory.containsAll(listed)) {
            return refuse(NumaNodeWithoutMemory, listed.minus(withMemory));
        }
        if (!excludedMemoryOnly(listed).isEmpty()) {
            return refuse(MemoryOnlyNode, excludedMemoryOnly(listed));
        }
        if (!observation.memsAllowed().containsAll(listed)) {
            return refuse(NumaNodeNotAllowed, listed.minus(observation.memsAllowed()));
        }
        if (!reachability.reachable().containsAll(listed)) {
            return refuse(NumaNodeUnreachable, listed.minus(reachability.reachable()));
        }
        return new Resolved(listed, List.of());
    }

    private NumaNodeSet excludedMemoryOnly(NumaNodeSet candidates) {
        return request.memoryOnlyNodes() ? NumaNodeSet.empty() : candidates.and(memoryOnly);
    }

    private NumaNodeSet drop(
            NumaNodeSet candidates, NumaNodeSet out, PlacementReason reason, List<DroppedNodes> dropped) {
        if (!out.isEmpty()) {
            dropped.add(new DroppedNodes(out, reason, sentence(reason, out)));
        }
        return candidates.minus(out);
    }

    private PlacementProblem refuse(PlacementReason reason, NumaNodeSet nodes) {
        return new PlacementProblem(
                reason, "spec.placement.nodes: " + request.nodes().text() + ": " + sentence(reason, nodes));
    }

    private String sentence(PlacementReason reason, NumaNodeSet nodes) {
        var subject = subject(nodes);
        boolean one = nodes.size() == 1;
        return switch (reason) {
            case NumaNodeNotPresent ->
                "This machine has no " + subject + ", only " + subject(present) + "; use nodes"
                        + " Allowed or a list of those.";
            case NumaNodeWithoutMemory ->
                subject + (one ? " has" : " have") + " no memory; nodes with memory here: " + orNone(withMemory) + ".";
            case MemoryOnlyNode ->
                subject + (one ? " has" : " have")
                        + " memory but no CPUs; set spec.placement.memoryOnlyNodes to Include to" + " use "
                        + (one ? "it" : "them") + ".";
            case NumaNodeNotAllowed ->
                subject + (one ? " is" : " are") + " not among the nodes that this container may use ("
                        + orNone(observation.memsAllowed())
                        + ", Mems_allowed_list). Use nodes Allowed or a list of those, or"
                        + " let the kubelet's memory manager grant " + (one ? "it." : "them.");
            case NumaNodeUnreachable -> unreachable(subject, nodes);
            default -> throw new IllegalArgumentException("No sentence for " + reason + " of nodes " + nodes);
        };
    }

    private String unreachable(String subject, NumaNodeSet nodes) {
        boolean one = nodes.size() == 1;
        var bound = reachability.boundByTaskPolicy();
        var why = bound.isEmpty()
                ? "mbind is forbidden here, and none of the allowed CPUs (" + observation.cpusAllowed() + ") has "
                        + (one ? "it" : "them") + " as its nearest allowed memory"
                : "mbind is forbidden here, and the runtime's memory policy binds this container to nodes " + bound;
        var cpus = memoryOnly.containsAll(nodes)
                ? ""
                : ", or give the pod a CPU of " + (one ? "that node" : "those nodes");
        return subject + (one ? " is" : " are") + " allowed but cannot be reached: " + why
                + ". Nodes that can be reached: " + orNone(reachability.reachable())
                + ". Allow mbind by the seccomp profile" + (bound.isEmpty() ? cpus : "") + ".";
    }

    private PlacementProblem noneLeft(List<DroppedNodes> dropped) {
        var reasons = dropped.stream().map(DroppedNodes::message).collect(Collectors.joining(" "));
        var text = reasons.isEmpty()
                ? "The container may use nodes " + orNone(observation.memsAllowed())
                        + " (Mems_allowed_list), and the machine's" + " nodes with memory are " + orNone(withMemory)
                        + "."
                : reasons;
        return new PlacementProblem(
                NoNumaNode,
                "spec.placement.nodes: " + request.nodes().text() + " leaves no NUMA node for the pool. " + text);
    }

    private static String subject(NumaNodeSet nodes) {
        return (nodes.size() == 1 ? "NUMA node " : "NUMA nodes ") + orNone(nodes);
    }

    private static String orNone(NumaNodeSet nodes) {
        return nodes.isEmpty() ? "none" : nodes.toString();
    }
}
