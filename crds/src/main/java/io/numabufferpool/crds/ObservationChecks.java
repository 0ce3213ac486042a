package io.numabufferpool.crds;

import org.jspecify.annotations.Nullable;

/** What an observation from outside must keep, so that the planner's arithmetic holds whoever sent it. */
final class ObservationChecks {
    /** MAX_NUMNODES of the largest kernel configuration. */
    private static final int NUMA_NODES_MAX = 1024;

    /** 1 PiB: more than a node can have, and the sum over all nodes stays within a long. */
    private static final long NODE_BYTES_MAX = 1L << 50;

    /** A SLIT entry is one byte. */
    private static final int DISTANCE_MAX = 255;

    /** The kernel keeps a weight in one byte. */
    private static final int WEIGHT_MAX = 255;

    private ObservationChecks() {}

    static void check(ObservationStatus observation) {
        present("memsAllowed", observation.memsAllowed());
        present("cpusAllowed", observation.cpusAllowed());
        present("kernelRelease", observation.kernelRelease());
        if (observation.numaNodes().size() > NUMA_NODES_MAX) {
            throw impossible("numaNodes", observation.numaNodes().size() + " nodes", "at most " + NUMA_NODES_MAX);
        }
        int previous = -1;
        for (var node : observation.numaNodes()) {
            if (node.numaNode() <= previous || node.numaNode() >= NUMA_NODES_MAX) {
                throw impossible(
                        "numaNodes",
                        "node " + node.numaNode() + " after " + previous,
                        "ascending from 0 to " + (NUMA_NODES_MAX - 1));
            }
            previous = node.numaNode();
            bytes("memoryBytes", node, node.memoryBytes());
            bytes("freeBytes", node, node.freeBytes());
            node.hugePages().forEach(pages -> hugePages(node, pages));
            var weight = node.interleaveWeight();
            if (weight != null && (weight < 1 || weight > WEIGHT_MAX)) {
                throw impossible("interleaveWeight of node " + node.numaNode(), weight, "1 to " + WEIGHT_MAX);
            }
            if (node.distances().size() > observation.numaNodes().size()) {
                throw impossible(
                        "distances of node " + node.numaNode(),
                        node.distances().size() + " numbers",
                        "one for each of the " + observation.numaNodes().size() + " nodes");
            }
            for (var distance : node.distances()) {
                if (distance == null || distance < 0 || distance > DISTANCE_MAX) {
                    throw impossible("distances of node " + node.numaNode(), distance, "0 to " + DISTANCE_MAX);
                }
            }
        }
        var limit = observation.memoryLimitBytes();
        if (limit != null && limit < 0) {
            throw impossible("memoryLimitBytes", limit, "0 or more");
        }
    }

    private static void hugePages(ObservationStatus.ObservedNode node, ObservationStatus.HugePages pages) {
        bytes("hugePages.pageBytes", node, pages.pageBytes());
        long most = pages.pageBytes() == 0 ? 0 : NODE_BYTES_MAX / pages.pageBytes();
        for (long count : new long[] {pages.total(), pages.free(), pages.surplus()}) {
            if (count < 0 || count > most) {
                throw impossible("hugePages of node " + node.numaNode(), count + " pages", "0 to " + most);
            }
        }
    }

    private static void bytes(String field, ObservationStatus.ObservedNode node, long bytes) {
        if (bytes < 0 || bytes > NODE_BYTES_MAX) {
            throw impossible(field + " of node " + node.numaNode(), bytes, "0 to " + NODE_BYTES_MAX);
        }
    }

    private static void present(String field, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("observation." + field + " is missing.");
        }
    }

    private static IllegalArgumentException impossible(String field, @Nullable Object value, String possible) {
        return new IllegalArgumentException(
                "observation." + field + ": " + value + " is impossible; " + possible + ".");
    }
}
