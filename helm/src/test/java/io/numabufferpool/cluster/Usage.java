package io.numabufferpool.cluster;

import io.numabufferpool.crds.NumaNodeUsage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** Per-node numbers of a status, as tests compare them. */
final class Usage {
    private Usage() {}

    /** Bytes on each NUMA node that has some. */
    static Map<Integer, Long> placed(List<NumaNodeUsage> nodes) {
        var bytes = new TreeMap<Integer, Long>();
        for (var node : nodes) {
            if (node.placedBytes() > 0) {
                bytes.put(node.numaNode(), node.placedBytes());
            }
        }
        return bytes;
    }

    static long sum(List<NumaNodeUsage> nodes, ToLongFunction<NumaNodeUsage> number) {
        return nodes.stream().mapToLong(number).sum();
    }
}
