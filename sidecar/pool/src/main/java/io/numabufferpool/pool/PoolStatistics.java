package io.numabufferpool.pool;

import io.numabufferpool.layout.PoolCounter;
import java.util.List;

/**
 * How a pool is used. Sums of many words that go on changing while they are read: each is true for some moment of the
 * reading, sums need not match to the unit. Immutable.
 *
 * @param numaNodes one for each NUMA node with buffers, ascending; -1 first where buffers lie on no single node
 * @param partitions one for each partition
 * @param slotsLeased slots in use
 * @param slotCount all slots
 * @param spacesRegistered entries of the space table in use
 */
public record PoolStatistics(
        List<NodeUsage> numaNodes,
        List<PartitionUsage> partitions,
        int slotsLeased,
        int slotCount,
        int spacesRegistered) {
    public PoolStatistics {
        numaNodes = List.copyOf(numaNodes);
        partitions = List.copyOf(partitions);
    }

    /** Buffers, not bytes. {@code used}: holding or getting a page. {@code pinned}: published in some ledger, each once. */
    public record Buffers(long total, long used, long dirty, long pinned, long torn) {}

    /** Totals since the format, by {@link PoolCounter}. A miss that a ReadOnly client reads for itself counts for node -1. */
    public record Counters(
            long hits,
            long misses,
            long evictions,
            long loadFailures,
            long waits,
            long rescues,
            long steals,
            long retries) {}

    public record NodeUsage(int numaNode, Buffers buffers, Counters counters) {}

    public record PartitionUsage(int partition, int numaNode, Buffers buffers, long evictions) {}

    /** Hits of sessions whose slot lies on one node, on buffers of another: a cell of the traffic matrix. -1: no single node. */
    public record Traffic(int clientNode, int bufferNode, long hits) {}
}
