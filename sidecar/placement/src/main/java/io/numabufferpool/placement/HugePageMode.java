package io.numabufferpool.placement;

/** Which pages the segment consists of: {@code spec.hugePages.mode}. */
public enum HugePageMode {
    /** tmpfs pages, collapsed into 2 MiB pages after placement ({@code MADV_COLLAPSE}, Linux 6.1). */
    Transparent,
    /** hugetlb pages that the administrator reserved on the node. */
    Reserved,
    /** 4 KiB pages, for comparison. */
    Never
}
