package io.numabufferpool.crds;

/** What the choice of nodes is good for: {@code spec.placement.goal}. */
public enum Goal {
    /** All memory controllers. */
    Bandwidth,
    /** As few nodes as hold the pool, near the clients. Not available in this version. */
    Latency
}
