package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Whether the nodes have what their shares need: reserved huge pages, memory, and room under the container's limit. */
final class CapacityCheck {
    /** A message names so many short nodes; the rest is counted. More is a table, and the observation is one. */
    private static final int NODES_NAMED_MAX = 4;

    private final PlacementRequest request;
    private final Observation observation;
    private final List<NodeShare> shares;
    private final List<String> notes = new ArrayList<>();

    CapacityCheck(PlacementRequest request, Observation observation, List<NodeShare> shares) {
        this.request = request;
        this.observation = observation;
        this.shares = shares;
    }

    /** The first problem, most general first. Under BestEffort what is short on a node becomes a note instead. */
    Optional<PlacementProblem> problem() {
        if (request.hugePageMode() == HugePageMode.Reserved) {
            return hugePages();
        }
        return memoryLimit().or(this::memory);
    }

    /** Sentences for {@code why} about what will spill; complete after {@link #problem}. */
    List<String> notes() {
        return List.copyOf(notes);
    }

    private Optional<PlacementProblem> memoryLimit() {
        var limit = observation.memoryLimitBytes();
        if (limit.isEmpty() || limit.getAsLong() > request.sizeBytes()) {
            return Optional.empty();
        }
        return problem(
                PlacementReason.MemoryLimitTooSmall,
                "spec.size: " + ByteCount.asQuantity(request.sizeBytes())
                        + " does not fit into the container's memory limit of "
                        + ByteCount.render(limit.getAsLong())
                        + ", which also has to hold the program and the control file; use a"
                        + " smaller size or raise the limit.");
    }

    private Optional<PlacementProblem> memory() {
        long total = 0;
        for (var node : allowedNodes()) {
            total += node.memoryBytes();
        }
        if (total < request.sizeBytes()) {
            return problem(
                    PlacementReason.InsufficientMemory,
                    "spec.size: " + ByteCount.asQuantity(request.sizeBytes())
                            + " is more than the memory of all NUMA nodes that"
                            + " this container may use (" + observation.memsAllowed() + ": " + ByteCount.render(total)
                            + "); use a smaller size.");
        }
        var shortages = shortages(NumaNode::memoryBytes);
        if (shortages.isEmpty()) {
            return Optional.empty();
        }
        var text = describe(
                shortages,
                shortage -> "NUMA node " + shortage.numaNode + " has " + ByteCount.render(shortage.has)
                        + " of memory, its share is " + ByteCount.render(shortage.wanted));
        return spilled(PlacementReason.InsufficientMemory, text, "Use a smaller spec.size or more nodes");
    }

    private Optional<PlacementProblem> hugePages() {
        long pageBytes = request.hugePageBytes();
        long total = 0;
        for (var node : allowedNodes()) {
            total += node.freeHugePages(pageBytes);
        }
        var size = ByteCount.asQuantity(pageBytes);
        long wantedPages = request.sizeBytes() / pageBytes;
        if (shares.isEmpty() || request.enforcement() == Enforcement.BestEffort) {
            if (total < wantedPages) {
                return problem(
                        PlacementReason.InsufficientHugePages,
                        "spec.size: " + ByteCount.asQuantity(request.sizeBytes()) + " needs " + wantedPages
                                + " huge pages of " + size + ", and all NUMA nodes that this container may use ("
                                + observation.memsAllowed() + ") have " + total + " free. Reserve "
                                + (wantedPages - total) + " more, use a smaller spec.size, or"
                                + " spec.hugePages.mode Transparent, which needs no reservation.");
            }
        }
        var shortages = shortages(node -> Math.multiplyExact(node.freeHugePages(pageBytes), pageBytes));
        if (shortages.isEmpty()) {
            return Optional.empty();
        }
        var text = describe(
                shortages,
                shortage -> "NUMA node " + shortage.numaNode + " has " + shortage.has / pageBytes
                        + " free huge pages of " + size + ", its share needs " + shortage.wanted / pageBytes);
        var missing = describe(
                shortages,
                shortage -> (shortage.wanted - shortage.has) / pageBytes + " more on node " + shortage.numaNode);
        return spilled(
                PlacementReason.InsufficientHugePages,
                text,
                "Reserve " + missing + " (/sys/devices/system/node/node" + shortages.getFirst().numaNode
                        + "/hugepages/hugepages-" + pageBytes / 1024
                        + "kB/nr_hugepages), use a smaller spec.size, or spec.hugePages.mode Transparent");
    }

    private Optional<PlacementProblem> spilled(PlacementReason reason, String text, String fix) {
        if (request.enforcement() == Enforcement.BestEffort) {
            notes.add(text + ": what does not fit lies on other nodes (enforcement BestEffort).");
            return Optional.empty();
        }
        return problem(
                reason, text + ". " + fix + ", or spec.placement.enforcement BestEffort to run on a spilled segment.");
    }

    private static Optional<PlacementProblem> problem(PlacementReason reason, String message) {
        return Optional.of(new PlacementProblem(reason, message));
    }

    private List<NumaNode> allowedNodes() {
        return observation.topology().numaNodes().stream()
                .filter(node -> observation.memsAllowed().contains(node.index()))
                .toList();
    }

    private record Shortage(int numaNode, long wanted, long has) {}

    private List<Shortage> shortages(ToLongFunction<NumaNode> bytesOf) {
        var shortages = new ArrayList<Shortage>();
        for (var share : shares) {
            long has = observation
                    .topology()
                    .find(share.numaNode())
                    .map(bytesOf::applyAsLong)
                    .orElse(0L);
            if (has < share.bytes()) {
                shortages.add(new Shortage(share.numaNode(), share.bytes(), has));
            }
        }
        return shortages;
    }

    private static String describe(List<Shortage> shortages, Function<Shortage, String> sentence) {
        var named = shortages.stream().limit(NODES_NAMED_MAX).map(sentence).toList();
        var text = String.join("; ", named);
        int rest = shortages.size() - named.size();
        return rest == 0 ? text : text + "; " + rest + " more nodes are short";
    }
}
