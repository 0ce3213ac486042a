package io.numabufferpool.crds;

/** Whether nodes with memory but without CPUs (CXL, HBM) take part: {@code spec.placement.memoryOnlyNodes}. */
public enum MemoryOnlyNodes {
    /** They stay out. */
    Exclude,
    /** They are nodes like others. */
    Include
}
