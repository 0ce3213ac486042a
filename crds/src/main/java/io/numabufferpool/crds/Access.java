package io.numabufferpool.crds;

/** What clients may do to buffers: {@code spec.access}. */
public enum Access {
    /** Read and write them. */
    ReadWrite,
    /** Only read them: they get a descriptor that the kernel does not let them write through. */
    ReadOnly
}
