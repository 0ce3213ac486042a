package io.numabufferpool.placement;

/** What a spilled segment means: {@code spec.placement.enforcement}. */
public enum Enforcement {
    /** Never run on a segment that does not lie where it was decided. */
    Strict,
    /** Run, and say so. */
    BestEffort
}
