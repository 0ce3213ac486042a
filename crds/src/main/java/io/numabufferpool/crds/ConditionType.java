package io.numabufferpool.crds;

/** Types of conditions. The constants' names are the words of the API. */
public enum ConditionType {
    /** The object does what it is for. */
    Ready(
            true,
            true,
            "Every pod that asks for the pool has a segment that serves as decided; of a placement: this pod has."),
    /** The NUMA node set is known. */
    NodeSetResolved(true, true, "A NUMA node set was found for every pod."),
    /** The pages are huge as asked. */
    HugePagesAvailable(true, true, "The huge pages that the pool asks for are there, on every node of the set."),
    /** The kernel says the pages lie where it was decided. */
    PlacementVerified(true, true, "/proc/self/numa_maps says that every page lies where it was decided."),
    /** New pods get the sidecar. */
    InjectionActive(
            true,
            false,
            "New pods with the pool's label get the sidecar, and running ones have that of this generation."),
    /** Work is going on; present only while true. */
    Reconciling(true, false, "Work is going on. Present only while it is."),
    /** Work cannot go on without a person; present only while true. */
    Stalled(true, false, "Nothing will get better without a person. Present only while so.");

    private final boolean ofPool;
    private final boolean ofPlacement;
    private final String meaning;

    ConditionType(boolean ofPool, boolean ofPlacement, String meaning) {
        this.ofPool = ofPool;
        this.ofPlacement = ofPlacement;
        this.meaning = meaning;
    }

    /** Whether a NumaBufferPool has it. */
    public boolean ofPool() {
        return ofPool;
    }

    /** Whether a NumaPlacement has it. */
    public boolean ofPlacement() {
        return ofPlacement;
    }

    /** What True means. */
    public String meaning() {
        return meaning;
    }
}
