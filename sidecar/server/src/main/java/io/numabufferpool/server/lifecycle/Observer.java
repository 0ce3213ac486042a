package io.numabufferpool.server.lifecycle;

import io.numabufferpool.linux.ObservationReader;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNode.HugePagePool;
import io.numabufferpool.placement.NumaTopology;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.server.segment.RangePlacement;
import io.numabufferpool.server.segment.SegmentFile;
import java.util.List;

/**
 * Looks at the container for the planner. Reserved huge pages that the segment holds count as free, so that a decision does
 * not change because it was carried out. Thread-safe.
 */
final class Observer {
    private final ObservationReader reader;
    private final PlacementRequest request;

    Observer(ObservationReader reader, PlacementRequest request) {
        this.reader = reader;
        this.request = request;
    }

    /** {@code placed}: where the segment's pages are now; empty before it is placed. */
    Observation look(List<RangePlacement> placed) {
        var seen = reader.read();
        if (request.hugePageMode() != HugePageMode.Reserved || placed.isEmpty()) {
            return seen;
        }
        var nodes = seen.topology().numaNodes().stream()
                .map(node -> withOwnPages(node, placed))
                .toList();
        return new Observation(
                new NumaTopology(nodes),
                seen.memsAllowed(),
                seen.cpusAllowed(),
                seen.mbindAllowed(),
                seen.taskPolicyNodes(),
                seen.collapseSupported(),
                seen.kernelRelease(),
                seen.memoryLimitBytes());
    }

    private NumaNode withOwnPages(NumaNode node, List<RangePlacement> placed) {
        long ownBytes = placed.stream()
                .filter(range -> range.range().file() == SegmentFile.BUFFERS)
                .mapToLong(range -> range.placedBytes().getOrDefault(node.index(), 0L))
                .sum();
        var pools = node.hugePages().stream()
                .map(pool -> pool.pageBytes() != request.hugePageBytes()
                        ? pool
                        : new HugePagePool(
                                pool.pageBytes(),
                                pool.totalPages(),
                                pool.freePages() + ownBytes / pool.pageBytes(),
                                pool.surplusPages()))
                .toList();
        return new NumaNode(
                node.index(),
                node.cpus(),
                node.memoryBytes(),
                node.freeBytes(),
                pools,
                node.distances(),
                node.interleaveWeight());
    }
}
