package io.numabufferpool.crds;

/** How far a pod's segment is. */
public enum Phase {
    /** The sidecar looks at its container; nothing is decided. */
    Observing,
    /** It waits for the operator's decision. */
    Deciding,
    /** It allocates, places, populates and verifies the segment. */
    Placing,
    /** The segment lies where it was decided, and clients may attach. */
    Serving,
    /** Clients work on while parts of the segment move, are added or given back, to lie as newly decided. */
    Replacing,
    /** Clients may attach, but the segment does not lie as decided (BestEffort), or no longer does. */
    Degraded,
    /** There is no segment that may serve; the conditions say why. */
    Failed,
    /** Nobody hears from the sidecar: what stands here is old. Only the operator says so. */
    Unknown
}
