package io.numabufferpool.linux;

/**
 * Bytes of a range that are really in huge pages.
 *
 * @param transparentBytes ShmemPmdMapped + FilePmdMapped of smaps: numa_maps says 4 KiB for these
 * @param reservedBytes Shared_Hugetlb + Private_Hugetlb of smaps
 */
public record HugeBytes(long transparentBytes, long reservedBytes) {
    public long bytes() {
        return transparentBytes + reservedBytes;
    }
}
