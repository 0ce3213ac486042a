package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * What the kernel tells about the pages of a file that it keeps in memory, and asks of it. Thread-safe. None of these calls reads a file
 * in, and every default seccomp profile allows them.
 */
public final class PageCache {
    private static final int MADV_RANDOM = 1;
    private static final int POSIX_FADV_RANDOM = 1;
    private static final int POSIX_FADV_DONTNEED = 4;

    /** The low bit of each byte that mincore(2) writes; the others are reserved. */
    private static final int RESIDENT = 1;

    private final long pageBytes = LibC.getpagesize();

    /** The unit of {@link #resident}: 4096 on x86-64, up to 65536 on arm64. */
    public long pageBytes() {
        return pageBytes;
    }

    /**
     * mincore(2): bit n is set where page n of this mapping is in memory. A process that neither owns the file nor may write it is told
     * that all are (mm/mincore.c, can_do_mincore), so ask only about files of those who are told the truth.
     */
    public BitSet resident(MemorySegment mapping) {
        long bytes = mapping.byteSize();
        int pages = Math.toIntExact((bytes + pageBytes - 1) / pageBytes);
        try (var scratch = new NativeScratch()) {
            var vector = scratch.allocate(pages);
            long result = MappedMemory.use(mapping, address -> {
                int returned = LibC.mincore(address, bytes, vector.address());
                return returned < 0 ? -LibC.errno() : returned;
            });
            if (result < 0) {
                throw new LinuxException("mincore of " + bytes + " bytes", (int) -result);
            }
            var resident = new BitSet(pages);
            for (int page = 0; page < pages; page++) {
                if ((vector.get(JAVA_BYTE, page) & RESIDENT) != 0) {
                    resident.set(page);
                }
            }
            return resident;
        }
    }

    /** madvise(MADV_RANDOM): a fault in this mapping brings in no page but its own. */
    public Errno withoutReadAhead(MemorySegment mapping) {
        long result = MappedMemory.use(mapping, address -> {
            int returned = LibC.madvise(address, mapping.byteSize(), MADV_RANDOM);
            return returned < 0 ? -LibC.errno() : returned;
        });
        return FileCalls.errno((int) result);
    }

    /** posix_fadvise(POSIX_FADV_RANDOM): a read through this descriptor brings in what was asked for and nothing behind it. */
    public Errno withoutReadAhead(LinuxFile file) {
        return advise(file, POSIX_FADV_RANDOM);
    }

    /** posix_fadvise(POSIX_FADV_DONTNEED) of the whole file: pages that are dirty, or mapped by somebody, stay. */
    public Errno drop(LinuxFile file) {
        return advise(file, POSIX_FADV_DONTNEED);
    }

    private static Errno advise(LinuxFile file, int advice) {
        if (!(file instanceof JnaFile own)) {
            throw new IllegalArgumentException("This file was not opened by JnaLinux: " + file.name());
        }
        // It answers the errno itself, so what is negative is only JnaFile's own EBADF of a closed file.
        int result = own.call(descriptor -> LibC.posix_fadvise(descriptor, 0, 0, advice));
        return Errno.of(Math.abs(result));
    }
}
