package io.numabufferpool.crds;

/** Whether pods of one machine share its NUMA nodes: {@code spec.placement.sharing}. */
public enum Sharing {
    /** They do. */
    Shared,
    /** Pods get disjoint nodes. Not available in this version. */
    Isolated
}
