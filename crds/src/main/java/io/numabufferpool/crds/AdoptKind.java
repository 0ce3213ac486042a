package io.numabufferpool.crds;

/** How an unmodified program made its segment: {@code spec.adopt.kinds}. libnumapool_adopt.so knows them by these names. */
public enum AdoptKind {
    /** {@code mmap} with MAP_SHARED and MAP_ANONYMOUS. */
    SharedAnonymous,
    /** {@code shmget} and {@code shmat}. */
    SysV,
    /** {@code shm_open}, {@code memfd_create}, or a file on tmpfs or hugetlbfs, and {@code mmap} with MAP_SHARED. */
    PosixShm,
    /** {@code mmap} with MAP_PRIVATE and MAP_ANONYMOUS: heaps. Gets a policy, and is not populated. */
    Private
}
