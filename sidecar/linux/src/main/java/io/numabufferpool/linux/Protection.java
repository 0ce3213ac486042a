package io.numabufferpool.linux;

/** What a mapping allows. */
public enum Protection {
    READ,
    READ_WRITE
}
