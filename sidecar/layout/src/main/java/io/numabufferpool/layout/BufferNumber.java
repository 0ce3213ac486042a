package io.numabufferpool.layout;

/**
 * A buffer's number in 48 bits: partition in bits 47..32, index in the partition + 1 in bits 31..0; 0 is no buffer.
 * Lookup entries and ledger entries keep something else in bits 63..48.
 */
public final class BufferNumber {
    public static final long NONE = 0;

    public static final int PARTITION_SHIFT = 32;
    /** Highest number of partitions: 16 bits. */
    public static final int PARTITION_COUNT_MAX = 1 << 16;
    /** Highest number of buffers in a partition: index + 1 fits 32 bits. */
    public static final long BUFFERS_PER_PARTITION_MAX = 0xFFFF_FFFFL;

    public static final long MASK = 0xFFFF_FFFF_FFFFL;

    private BufferNumber() {}

    public static long of(int partition, long index) {
        return ((long) partition << PARTITION_SHIFT) | (index + 1);
    }

    public static int partition(long number) {
        return (int) (number >>> PARTITION_SHIFT) & (PARTITION_COUNT_MAX - 1);
    }

    /** 0-based index in its partition; -1 for a number that names no buffer. */
    public static long index(long number) {
        return (number & BUFFERS_PER_PARTITION_MAX) - 1;
    }
}
