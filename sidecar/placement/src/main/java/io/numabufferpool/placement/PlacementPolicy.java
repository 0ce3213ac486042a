package io.numabufferpool.placement;

/** How a segment's pages are spread over its NUMA nodes: {@code spec.placement.policy}. The names are the API's words. */
public enum PlacementPolicy {
    /** Every partition lies wholly on one NUMA node, descriptors and buffers together. */
    Partitioned,
    /** Page by page in turn over the node set; under Transparent huge pages, stripe by stripe of one huge page. */
    Interleave,
    /** As Interleave, in the proportion of the nodes' weights. */
    WeightedInterleave,
    /** Only on these nodes, which of them is the kernel's choice. */
    Bind,
    /** On these nodes while they have room, then anywhere. Needs BestEffort. */
    Preferred,
    /** The kernel's first touch, kept as the baseline to compare with. Needs BestEffort. */
    None
}
