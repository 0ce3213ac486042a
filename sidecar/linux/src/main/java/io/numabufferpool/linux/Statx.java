package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** statx(2), since 4.11: chosen over fstat(2), whose struct differs between x86-64 and arm64. */
final class Statx {
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BYTES = 256;

    // struct statx, include/uapi/linux/stat.h
    private static final int UID = 20;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int CHANGED = 96;
    private static final int MODIFIED = 112;
    private static final int DEVICE_MAJOR = 136;
    private static final int DEVICE_MINOR = 140;

    private static final int S_IFMT = 0xf000;
    private static final int S_IFREG = 0x8000;
    private static final int S_IFBLK = 0x6000;
    private static final int PERMISSIONS = 0xfff;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** _IOR('v', 1, long); the kernel writes an int all the same. */
    private static final long FS_IOC_GETVERSION = 0x80087601L;

    private Statx() {}

    static FileStatus read(Syscalls numbers, JnaFile file) {
        try (var scratch = new NativeScratch()) {
            var result = scratch.allocate(STATX_BYTES);
            var empty = scratch.allocate(1);
            int returned = file.call(descriptor -> (int) LibC.syscall(
                    numbers.statx(), descriptor, empty.address(), AT_EMPTY_PATH, STATX_BASIC_STATS, result.address()));
            if (returned < 0) {
                throw new LinuxException("statx of " + file, -returned);
            }
            var kind = kind(Short.toUnsignedInt(result.get(JAVA_SHORT, MODE)));
            return status(result, kind, kind == FileStatus.Kind.REGULAR ? generation(file, scratch) : 0);
        }
    }

    private static FileStatus status(MemorySegment result, FileStatus.Kind kind, long generation) {
        return new FileStatus(
                device(result.get(JAVA_INT, DEVICE_MAJOR), result.get(JAVA_INT, DEVICE_MINOR)),
                result.get(JAVA_LONG, INODE),
                result.get(JAVA_LONG, SIZE),
                kind,
                result.get(JAVA_INT, UID),
                result.get(JAVA_SHORT, MODE) & PERMISSIONS,
                nanos(result, MODIFIED),
                nanos(result, CHANGED),
                generation);
    }

    private static FileStatus.Kind kind(int mode) {
        return switch (mode & S_IFMT) {
            case S_IFREG -> FileStatus.Kind.REGULAR;
            case S_IFBLK -> FileStatus.Kind.BLOCK_DEVICE;
            default -> FileStatus.Kind.OTHER;
        };
    }

    private static long nanos(MemorySegment result, int offset) {
        return result.get(JAVA_LONG, offset) * NANOS_PER_SECOND + result.get(JAVA_INT, offset + 8);
    }

    /** As makedev(3), so that the number equals st_dev. */
    private static long device(int major, int minor) {
        return (major & 0xfffff000L) << 32 | (major & 0xfffL) << 8 | (minor & 0xffffff00L) << 12 | (minor & 0xffL);
    }

    private static long generation(JnaFile file, NativeScratch scratch) {
        var version = scratch.allocate(Long.BYTES);
        int returned = file.call(descriptor -> LibC.ioctl(descriptor, FS_IOC_GETVERSION, version.address()));
        return returned < 0 ? 0 : Integer.toUnsignedLong(version.get(JAVA_INT, 0));
    }
}
