package io.numabufferpool.layout;

/**
 * The version of the shared memory and the marks that name it.
 *
 * <p>Rule: a reader of major version M refuses any other major version by name. A higher minor version may only use
 * bytes that were reserved (zero) before, in a way that a reader of a lower minor version may ignore.
 */
public final class LayoutVersion {
    /** Changed when a byte that has a meaning gets another one. */
    public static final int MAJOR = 1;

    /** Changed when reserved bytes get a meaning. */
    public static final int MINOR = 0;

    /** The bytes {@code NUMAPOOL} in memory order on a little-endian machine. Stored last, so its presence says the rest is complete. */
    public static final long MAGIC = 0x4C4F4F50_414D554EL;

    /** Stored as an int; reads as 0x04030201 on a machine of the other byte order. */
    public static final int BYTE_ORDER_MARK = 0x01020304;

    private LayoutVersion() {}
}
