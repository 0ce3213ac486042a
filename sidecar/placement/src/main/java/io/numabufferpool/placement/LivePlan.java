package io.numabufferpool.placement;

import io.numabufferpool.placement.PlacementDecision.NodeShare;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a new decision means for a segment that exists. Its partitions, where they begin and how far they can grow stay as they
 * were made; which NUMA node each lies on and how many buffers it has can change. Pure: same input, same answer.
 */
public final class LivePlan {
    private final List<PartitionPlan> made;
    private final PlacementRequest request;

    private LivePlan(List<PartitionPlan> made, PlacementRequest request) {
        this.made = made;
        this.request = request;
    }

    /**
     * The decision closest to {@code wanted} that the segment can carry out while it is used, or the problem: its size cannot
     * change.
     *
     * @param inForce the decision that the segment lies by now
     * @param wanted what a new segment would lie by
     * @param request that {@code wanted} was made for
     */
    public static PlacementOutcome adapt(
            PlacementDecision inForce, PlacementDecision wanted, PlacementRequest request) {
        return new LivePlan(inForce.partitions(), request).adapt(wanted);
    }

    private PlacementOutcome adapt(PlacementDecision wanted) {
        long[] counts = made.stream().mapToLong(PartitionPlan::bufferCount).toArray();
        if (bytes(counts) != request.sizeBytes()) {
            var problem = sizeProblem(bytes(counts));
            if (problem.isPresent()) {
                return problem.get();
            }
            counts = resized();
        }
        boolean singleNodes = wanted.policy().partitionsOnSingleNodes();
        int[] nodes = singleNodes ? nodes(counts, wanted.shares()) : noSingleNode();
        var partitions = new ArrayList<PartitionPlan>();
        for (var plan : made) {
            int i = partitions.size();
            partitions.add(new PartitionPlan(
                    plan.partition(), nodes[i], plan.offsetBytes(), counts[i], plan.bufferCapacity()));
        }
        var shares = singleNodes ? shares(counts, nodes) : wanted.shares();
        return new PlacementDecision(
                wanted.policy(),
                wanted.method(),
                singleNodes
                        ? NumaNodeSet.of(
                                shares.stream().mapToInt(NodeShare::numaNode).toArray())
                        : wanted.numaNodes(),
                shares,
                partitions,
                wanted.dropped(),
                why(wanted, shares));
    }

    /** Where the partitions there are cannot be dealt out as those of a new segment would be, the difference in words. */
    private static String why(PlacementDecision wanted, List<NodeShare> shares) {
        if (shares.equals(wanted.shares())) {
            return wanted.why();
        }
        var amounts = shares.stream()
                .map(share -> ByteCount.render(share.bytes()) + " on node " + share.numaNode())
                .toList();
        return wanted.why() + " The partitions of the segment in use come to " + String.join(", ", amounts) + ".";
    }

    private long bytes(long[] counts) {
        long bytes = 0;
        for (long count : counts) {
            bytes = Math.addExact(bytes, Math.multiplyExact(count, request.bufferBytes()));
        }
        return bytes;
    }

    private Optional<PlacementProblem> sizeProblem(long nowBytes) {
        boolean wholePages = made.stream().allMatch(this::onPages);
        long capacityBytes =
                bytes(made.stream().mapToLong(PartitionPlan::bufferCapacity).toArray());
        long pages = request.sizeBytes() / request.hugePageBytes();
        if (wholePages && request.sizeBytes() <= capacityBytes && pages >= made.size()) {
            return Optional.empty();
        }
        var change = "spec.size: " + ByteCount.asQuantity(request.sizeBytes()) + " cannot be reached from "
                + ByteCount.render(nowBytes) + " while the segment is used: ";
        if (request.sizeBytes() > capacityBytes) {
            return invalid(change + "it was made with room for " + ByteCount.render(capacityBytes)
                    + " (spec.maxSize). Restart the pods, with a larger spec.maxSize.");
        }
        if (!wholePages) {
            return invalid(change + "it was made without room to change (spec.maxSize was spec.size), so partitions"
                    + " share pages. Restart the pods, with spec.maxSize larger than spec.size.");
        }
        return invalid(change + "its " + made.size() + " partitions need a page of "
                + ByteCount.asQuantity(request.hugePageBytes()) + " each. Use "
                + ByteCount.asQuantity(Math.multiplyExact(request.hugePageBytes(), (long) made.size())) + " or more.");
    }

    private boolean onPages(PartitionPlan plan) {
        return plan.offsetBytes() % request.hugePageBytes() == 0
                && plan.bufferCapacity() * request.bufferBytes() % request.hugePageBytes() == 0
                && plan.bufferCount() * request.bufferBytes() % request.hugePageBytes() == 0;
    }

    private static Optional<PlacementProblem> invalid(String message) {
        return Optional.of(new PlacementProblem(PlacementReason.InvalidSpec, message));
    }

    /** Whole pages, in proportion to the room that each partition has; at least one each. */
    private long[] resized() {
        long perPage = request.hugePageBytes() / request.bufferBytes();
        long[] room =
                made.stream().mapToLong(plan -> plan.bufferCapacity() / perPage).toArray();
        long roomPages = 0;
        for (long pages : room) {
            roomPages += pages;
        }
        long wantedPages = request.sizeBytes() / request.hugePageBytes();
        var pages = new long[room.length];
        long left = wantedPages;
        for (int i = 0; i < room.length; i++) {
            pages[i] = Math.clamp(multiplyAndDivide(wantedPages, room[i], roomPages), 1, room[i]);
            left -= pages[i];
        }
        // What rounding left over or took too much: a page at a time, first partition first.
        for (int i = 0; left != 0; i = (i + 1) % room.length) {
            int step = left > 0 ? 1 : -1;
            if (pages[i] + step >= 1 && pages[i] + step <= room[i]) {
                pages[i] += step;
                left -= step;
            }
        }
        for (int i = 0; i < pages.length; i++) {
            pages[i] *= perPage;
        }
        return pages;
    }

    private static long multiplyAndDivide(long a, long b, long divisor) {
        long high = Math.multiplyHigh(a, b);
        return high == 0 && a * b >= 0 ? a * b / divisor : (long) ((double) a / divisor * b);
    }

    private int[] noSingleNode() {
        var nodes = new int[made.size()];
        Arrays.fill(nodes, PlacementDecision.NO_SINGLE_NODE);
        return nodes;
    }

    /** A partition stays on its node while that has room in its share; the others go where most is left. */
    private int[] nodes(long[] counts, List<NodeShare> shares) {
        var left = new TreeMap<Integer, Long>();
        shares.forEach(share -> left.put(share.numaNode(), share.bytes()));
        var nodes = new int[made.size()];
        var homeless = new ArrayList<Integer>();
        for (int i = 0; i < nodes.length; i++) {
            long bytes = counts[i] * request.bufferBytes();
            int home = made.get(i).numaNode();
            // Half of it has to fit: shares and partitions are both rounded to pages.
            if (left.getOrDefault(home, Long.MIN_VALUE) >= bytes / 2) {
                nodes[i] = home;
                left.merge(home, -bytes, Long::sum);
            } else {
                homeless.add(i);
            }
        }
        for (int i : homeless) {
            nodes[i] = roomiest(left);
            left.merge(nodes[i], -counts[i] * request.bufferBytes(), Long::sum);
        }
        return nodes;
    }

    /** The lowest of those where most is left. */
    private static int roomiest(SortedMap<Integer, Long> left) {
        int best = left.firstKey();
        for (var entry : left.entrySet()) {
            if (entry.getValue() > left.getOrDefault(best, Long.MIN_VALUE)) {
                best = entry.getKey();
            }
        }
        return best;
    }

    private List<NodeShare> shares(long[] counts, int[] nodes) {
        var bytes = new TreeMap<Integer, Long>();
        for (int i = 0; i < nodes.length; i++) {
            bytes.merge(nodes[i], counts[i] * request.bufferBytes(), Long::sum);
        }
        return bytes.entrySet().stream()
                .map(entry -> new NodeShare(entry.getKey(), entry.getValue()))
                .toList();
    }
}
