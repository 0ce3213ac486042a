package io.numabufferpool.placement;

/** How a segment's pages are spread over its NUMA nodes: {@code spec.placement.policy}. The names are the API's words. */
public enum PlacementPolicy {
    /** Every partition lies wholly on one NUMA node, descriptors and buffers together. */
    Partitioned,
    /** Page by page in turn over the node set; under Transparent huge pages, stripe by stripe of one huge page. */
    Interleave,
    /** As Interleave, in the proportion of the nodes' weights: in whole stripes, so that it needs no kernel that knows weights. */
    WeightedInterleave,
    /** Only on these nodes, lowest first: a node is filled before the next one is used, as by {@code numactl --membind}. */
    Bind,
    /** As Bind while the nodes have room, then on any allowed node, as by {@code numactl --preferred}. Needs BestEffort. */
    Preferred,
    /** The kernel's first touch, kept as the baseline to compare with. Needs BestEffort. */
    None;

    /** Whether every partition lies on one NUMA node, descriptors and buffers together. */
    public boolean partitionsOnSingleNodes() {
        return this == Partitioned || fillsInOrder();
    }

    /** Whether a node is filled before the next one is used. */
    public boolean fillsInOrder() {
        return this == Bind || this == Preferred;
    }
}
