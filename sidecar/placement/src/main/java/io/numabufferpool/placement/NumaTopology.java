package io.numabufferpool.placement;

import java.util.List;
import java.util.Optional;

/** The machine's NUMA nodes, ascending by number; numbers may have holes. A machine without NUMA is one node 0. Immutable. */
public record NumaTopology(List<NumaNode> numaNodes) {
    public NumaTopology {
        numaNodes = List.copyOf(numaNodes);
    }

    /** The node of that number, or empty where the machine has none. */
    public Optional<NumaNode> find(int numaNode) {
        return numaNodes.stream().filter(node -> node.index() == numaNode).findFirst();
    }

    /** The numbers of all nodes. */
    public NumaNodeSet all() {
        return NumaNodeSet.of(numaNodes.stream().mapToInt(NumaNode::index).toArray());
    }
}
