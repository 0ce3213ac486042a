package io.numabufferpool.linux;

/** Finds a place for a mapping and takes it: at an aligned address, with an inaccessible page below it. Thread-safe. */
final class MappingPlace {
    /* Aligned: mapping over a reservation with MAP_FIXED is the usual way, but where the file's own mmap refuses (hugetlbfs:
     * ENOMEM), the kernel may have dropped that part of the reservation already; another thread can map there, and our clean-up
     * would unmap its pages. So a reservation only finds a free place, is given up, and the place is taken with
     * MAP_FIXED_NOREPLACE, which fails when somebody was faster.
     *
     * Apart: the kernel joins neighbouring mappings of neighbouring parts of a file into one, which then has one line in
     * numa_maps: nobody could say on which nodes each part lies. Every mapping of ours keeps a page without access below it, so no
     * two of them touch.
     *
     * Without reserve: mmap of a hugetlbfs file would set pages aside for all of it, also for the room that a segment may grow
     * into and on whichever node, and refuse where there are too few. Pages are taken by POPULATE_WRITE, which answers. */
    private static final int PROT_NONE = 0;
    private static final int MAP_SHARED_NORESERVE = 0x1 | 0x4000;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    /** Since 4.17; an older kernel takes the address as a hint, which the result shows. */
    private static final int MAP_FIXED_NOREPLACE = 0x100000;

    /** Each attempt loses only to another thread that maps into the very place found free an instant before. */
    private static final int ATTEMPTS_MAX = 64;

    private final long guardBytes;

    /** @param smallPageBytes the kernel's smallest page, which the guard has */
    MappingPlace(long smallPageBytes) {
        this.guardBytes = smallPageBytes;
    }

    /** What lies below each mapping, to be unmapped with it. */
    long guardBytes() {
        return guardBytes;
    }

    /** The address of the new mapping, aligned, or minus errno. */
    long map(JnaFile file, long offset, long bytes, int protection, long alignment) {
        long result = tryAnywhere(file, offset, bytes, protection, alignment);
        for (int attempt = 0; attempt < ATTEMPTS_MAX && result == -Errno.EEXIST.number(); attempt++) {
            long place = findFree(bytes, alignment);
            result = place < 0 ? place : tryAt(place, file, offset, bytes, protection);
        }
        return result == -Errno.EEXIST.number() ? -Errno.ENOMEM.number() : result;
    }

    /** -EEXIST where the kernel's own choice is not aligned, or has a neighbour below. */
    private long tryAnywhere(JnaFile file, long offset, long bytes, int protection, long alignment) {
        long address =
                file.callLong(descriptor -> LibC.mmap(0, bytes, protection, MAP_SHARED_NORESERVE, descriptor, offset));
        if (address < 0 || (address % alignment == 0 && guarded(address))) {
            return address;
        }
        LibC.munmap(address, bytes);
        return -Errno.EEXIST.number();
    }

    private long tryAt(long place, JnaFile file, long offset, long bytes, int protection) {
        long address = file.callLong(descriptor ->
                LibC.mmap(place, bytes, protection, MAP_SHARED_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, offset));
        if (address < 0 || (address == place && guarded(place))) {
            return address;
        }
        LibC.munmap(address, bytes);
        return -Errno.EEXIST.number();
    }

    private boolean guarded(long address) {
        long below = address - guardBytes;
        int flags = MAP_PRIVATE_ANONYMOUS_NORESERVE | MAP_FIXED_NOREPLACE;
        long guard = LibC.mmap(below, guardBytes, PROT_NONE, flags, -1, 0);
        if (guard != below && guard != -1) {
            LibC.munmap(guard, guardBytes);
        }
        return guard == below;
    }

    /** An aligned address with so many bytes behind it, and a page below it, that were free a moment ago; or minus errno. */
    private long findFree(long bytes, long alignment) {
        long wanted = Math.addExact(bytes, alignment + guardBytes);
        long reserved = LibC.mmap(0, wanted, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
        if (reserved == -1) {
            return -LibC.errno();
        }
        LibC.munmap(reserved, wanted);
        return (reserved + guardBytes + alignment - 1) & -alignment;
    }
}
