package io.numabufferpool.crds;

/** How an unmodified program made its segment: {@code spec.adopt.kinds}. */
public enum AdoptKind {
    /** {@code mmap} with MAP_SHARED and MAP_ANONYMOUS. */
    SharedAnonymous
}
