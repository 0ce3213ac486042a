package io.numabufferpool.linux;

/** What mbind(2) does with pages that are already there. */
public enum MemoryMove {
    /** Nothing: the policy is for pages to come. */
    LEAVE,
    /** MPOL_MF_MOVE: moves those that no other process maps; returns 0 all the same when it moved none. */
    MOVE,
    /** MPOL_MF_STRICT: EIO where a page lies elsewhere. */
    CHECK
}
