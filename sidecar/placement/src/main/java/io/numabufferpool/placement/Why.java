package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import io.numabufferpool.placement.PlacementDecision.NodeShare;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** The decision in words, with its numbers: what a person reads first when the nodes are not those expected. */
final class Why {
    private final PlacementRequest request;
    private final Observation observation;
    private final NumaNodeSet numaNodes;
    private final PlacementMethod method;

    Why(PlacementRequest request, Observation observation, NumaNodeSet numaNodes, PlacementMethod method) {
        this.request = request;
        this.observation = observation;
        this.numaNodes = numaNodes;
        this.method = method;
    }

    String render(List<NodeShare> shares, int partitionsPerNode, List<DroppedNodes> dropped, List<String> notes) {
        var sentences = new ArrayList<String>();
        sentences.add(first(shares));
        if (partitionsPerNode < request.partitionsPerNode()) {
            sentences.add(partitionsPerNode + " instead of " + request.partitionsPerNode()
                    + " partitions per node, so that each has at least " + PartitionSplit.BUFFERS_PER_PARTITION_MIN
                    + " buffers and whole pages.");
        }
        dropped.forEach(left -> sentences.add(left.message()));
        sentences.addAll(notes);
        if (request.hugePageMode() == HugePageMode.Transparent && !observation.collapseSupported()) {
            sentences.add("Linux " + observation.kernelRelease()
                    + " has no MADV_COLLAPSE (6.1 has), so the pages stay 4 KiB.");
        }
        return String.join(" ", sentences);
    }

    private String first(List<NodeShare> shares) {
        var nodes = (numaNodes.size() == 1 ? "node " : "nodes ") + numaNodes;
        var allowed = observation.memsAllowed().and(Reachability.withMemory(observation.topology()));
        var may = allowed.equals(numaNodes)
                ? (numaNodes.size() == 1 ? "the only one that" : "all that") + " the container may use"
                : "of " + allowed + " that the container may use";
        return switch (method) {
            case Mbind -> nodes + ": " + may + ", reached by mbind; " + amounts(shares) + ".";
            case TaskPolicy ->
                nodes + ": " + may + ", reached by the memory policy that the runtime has set (nodes "
                        + observation.taskPolicyNodes() + ", mbind is forbidden); " + amounts(shares) + ".";
            case PinnedFirstTouch ->
                nodes + ": " + may + ", reached by first touch from CPUs " + touchCpus() + " (mbind is forbidden); "
                        + amounts(shares) + ".";
            case None ->
                nodes + ": policy None, all " + ByteCount.render(request.sizeBytes())
                        + " lie where the kernel puts each page at its first touch.";
        };
    }

    private CpuSet touchCpus() {
        var reachability = Reachability.of(observation);
        return numaNodes.stream().mapToObj(reachability::touchCpus).reduce(CpuSet.empty(), CpuSet::or);
    }

    /** {@code 1 GiB on each}, or one amount per run of nodes: {@code 4 MiB on nodes 0-1 and 2 MiB on nodes 2-3}. */
    private static String amounts(List<NodeShare> shares) {
        if (shares.stream().map(NodeShare::bytes).distinct().count() == 1) {
            var bytes = ByteCount.render(shares.getFirst().bytes());
            return shares.size() == 1 ? "all " + bytes + " there" : bytes + " on each";
        }
        var text = new StringJoiner(" and ");
        for (var bytes : shares.stream().map(NodeShare::bytes).distinct().toList()) {
            var nodes = NumaNodeSet.of(shares.stream()
                    .filter(share -> share.bytes() == bytes)
                    .mapToInt(NodeShare::numaNode)
                    .toArray());
            text.add(ByteCount.render(bytes) + (nodes.size() == 1 ? " on node " : " on nodes ") + nodes);
        }
        return text.toString();
    }
}
