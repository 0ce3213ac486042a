package io.numabufferpool.crds;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.DroppedNodes;
import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementReason;
import io.numabufferpool.placement.PlacementRequest;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Between what travels (the API's types) and what the planner works with. Pure functions. */
public final class PlacementMapping {
    /** Beyond so many nodes the n x n distances would be most of a report; real machines with more exist, but few. */
    static final int DISTANCE_NODES_MAX = 64;

    /** Free memory is told in this fraction of a node's memory, so that a status does not change with every allocation. */
    private static final int FREE_STEPS = 16;

    private PlacementMapping() {}

    /**
     * What a pool asks for, in bytes.
     *
     * @throws IllegalArgumentException with the field, the value and the fix where the spec is not one that
     *     {@link NumaBufferPoolSpecChecks} accepts
     */
    public static PlacementRequest toRequest(NumaBufferPoolSpec spec) {
        var problems = NumaBufferPoolSpecChecks.check(spec);
        if (!problems.isEmpty() || spec.size() == null) {
            throw new IllegalArgumentException(String.join(" ", problems));
        }
        long sizeBytes = Quantity.parse("spec.size", spec.size());
        long maxSizeBytes = spec.maxSize() == null ? sizeBytes : Quantity.parse("spec.maxSize", spec.maxSize());
        var placement = spec.placement();
        return new PlacementRequest(
                sizeBytes,
                maxSizeBytes,
                spec.bufferSize().bytes(),
                spec.hugePages().mode(),
                spec.hugePages().size().bytes(),
                placement.policy(),
                NodeSelection.parse(placement.nodes()),
                placement.memoryOnlyNodes() == MemoryOnlyNodes.Include,
                placement.enforcement(),
                spec.partitionsPerNode(),
                weights(placement.weights()));
    }

    private static SortedMap<Integer, Integer> weights(@Nullable Map<String, Integer> written) {
        var weights = new TreeMap<Integer, Integer>();
        if (written != null) {
            written.forEach((numaNode, weight) -> weights.put(Integer.valueOf(numaNode), weight));
        }
        return weights;
    }

    /** A decision for the API. */
    public static NumaPlacementDecision toApi(PlacementDecision decision, DecidedBy decidedBy) {
        return new NumaPlacementDecision(
                decision.policy(),
                decision.method(),
                decision.numaNodes().toString(),
                decision.shares().stream()
                        .map(share -> new NumaPlacementDecision.Share(share.numaNode(), share.bytes()))
                        .toList(),
                decision.partitions().size(),
                decision.dropped().stream()
                        .map(dropped -> new NumaPlacementDecision.Dropped(
                                dropped.numaNodes().toString(), dropped.reason().name(), dropped.message()))
                        .toList(),
                decision.why(),
                decidedBy);
    }

    /**
     * A decision from the API, with its partitions worked out again.
     *
     * @param request of the same generation of the pool
     * @throws IllegalArgumentException where the decision does not fit the request, with what differs
     */
    public static PlacementDecision toDecision(NumaPlacementDecision api, PlacementRequest request) {
        var numaNodes = NumaNodeSet.parse(api.numaNodes());
        if (numaNodes.isEmpty()) {
            throw new IllegalArgumentException("The decision names no NUMA node (decision.numaNodes is empty).");
        }
        long pages = request.sizeBytes() / request.hugePageBytes();
        if (request.policy() != PlacementPolicy.None && numaNodes.size() > pages) {
            throw differs("numaNodes", api.numaNodes(), "pages for " + pages + " nodes only");
        }
        if (api.policy() != request.policy()) {
            throw differs("policy", api.policy(), request.policy());
        }
        var shares = api.shares().stream()
                .map(share -> new NodeShare(share.numaNode(), share.bytes()))
                .toList();
        checkShares(shares, numaNodes, request);
        var partitions = PlacementPlanner.partitions(request, numaNodes, shares);
        if (partitions.size() != api.partitionCount()) {
            throw differs("partitionCount", api.partitionCount(), partitions.size());
        }
        var dropped = api.dropped().stream()
                .map(one -> new DroppedNodes(
                        NumaNodeSet.parse(one.numaNodes()),
                        PlacementReason.valueOf(one.reason()),
                        one.message() == null ? "" : one.message()))
                .toList();
        return new PlacementDecision(api.policy(), api.method(), numaNodes, shares, partitions, dropped, api.why());
    }

    /** Where who decided saw more than we know, whole pages on every node that add up to the pool's size are a fit. */
    private static void checkShares(List<NodeShare> shares, NumaNodeSet numaNodes, PlacementRequest request) {
        var expected = PlacementPlanner.findShares(request, numaNodes);
        if (expected.isPresent() && !shares.equals(expected.get())) {
            throw differs("shares", shares, expected.get());
        }
        if (expected.isPresent()) {
            return;
        }
        var nodes = shares.stream().map(NodeShare::numaNode).toList();
        if (!nodes.equals(numaNodes.stream().boxed().toList())) {
            throw differs("shares", shares, "one for each of the nodes " + numaNodes);
        }
        long pages = 0;
        for (var share : shares) {
            boolean whole = share.bytes() > 0 && share.bytes() % request.hugePageBytes() == 0;
            if (!whole) {
                throw differs("shares", share, "whole pages of " + request.hugePageBytes() + " bytes");
            }
            pages = Math.addExact(pages, share.bytes() / request.hugePageBytes());
        }
        if (pages != request.sizeBytes() / request.hugePageBytes()) {
            throw differs("shares", shares, "a sum of " + request.sizeBytes() + " bytes");
        }
    }

    private static IllegalArgumentException differs(String field, Object decided, Object expected) {
        return new IllegalArgumentException("The decision does not fit the pool's spec: decision." + field + " is "
                + decided + ", the spec gives " + expected + ". It was made for another generation of the pool.");
    }

    /** An observation for the API. */
    public static ObservationStatus toApi(Observation observation, ObservationStatus.@Nullable Clients clients) {
        var nodes = observation.topology().numaNodes();
        boolean withDistances = nodes.size() <= DISTANCE_NODES_MAX;
        return new ObservationStatus(
                nodes.stream().map(node -> toApi(node, withDistances)).toList(),
                observation.memsAllowed().toString(),
                observation.cpusAllowed().toString(),
                observation.mbindAllowed(),
                observation.taskPolicyNodes().toString(),
                observation.collapseSupported(),
                observation.kernelRelease(),
                observation.memoryLimitBytes().isPresent()
                        ? observation.memoryLimitBytes().getAsLong()
                        : null,
                clients);
    }

    private static ObservationStatus.ObservedNode toApi(NumaNode node, boolean withDistances) {
        long step = Math.max(1, node.memoryBytes() / FREE_STEPS);
        return new ObservationStatus.ObservedNode(
                node.index(),
                node.cpus().toString(),
                node.memoryBytes(),
                node.freeBytes() / step * step,
                node.hugePages().stream()
                        .map(pool -> new ObservationStatus.HugePages(
                                pool.pageBytes(), pool.totalPages(), pool.freePages(), pool.surplusPages()))
                        .toList(),
                withDistances ? node.distances() : List.of(),
                node.interleaveWeight() == NumaNode.WEIGHT_UNKNOWN ? null : node.interleaveWeight());
    }

    /**
     * An observation from the API.
     *
     * @throws IllegalArgumentException where a list is malformed or a number impossible, with what is wrong
     */
    public static Observation toObservation(ObservationStatus api) {
        ObservationChecks.check(api);
        var nodes = api.numaNodes().stream()
                .map(node -> new NumaNode(
                        node.numaNode(),
                        CpuSet.parse(node.cpus()),
                        node.memoryBytes(),
                        node.freeBytes(),
                        node.hugePages().stream()
                                .map(pages -> new NumaNode.HugePagePool(
                                        pages.pageBytes(), pages.total(), pages.free(), pages.surplus()))
                                .toList(),
                        node.distances(),
                        node.interleaveWeight() == null ? NumaNode.WEIGHT_UNKNOWN : node.interleaveWeight()))
                .toList();
        return new Observation(
                new NumaTopology(nodes),
                NumaNodeSet.parse(api.memsAllowed()),
                CpuSet.parse(api.cpusAllowed()),
                api.mbindAllowed(),
                NumaNodeSet.parse(api.taskPolicyNodes()),
                api.collapseSupported(),
                api.kernelRelease(),
                api.memoryLimitBytes() == null ? OptionalLong.empty() : OptionalLong.of(api.memoryLimitBytes()));
    }
}
