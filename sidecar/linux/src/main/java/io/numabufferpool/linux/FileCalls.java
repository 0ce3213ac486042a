package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Files, their status and their locks. Thread-safe. Numbers are those of the generic ABI, which x86-64 and arm64 share. */
final class FileCalls {
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    /** O_NOCTTY | O_NONBLOCK | O_CLOEXEC. NONBLOCK: a FIFO given by mistake must not stop us; files and block devices ignore it. */
    private static final int O_ALWAYS = 0x100 | 0x800 | 0x80000;

    /** A file can vanish or appear between the two opens of CREATE; more than a few times in a row is not an accident. */
    private static final int CREATE_ATTEMPTS_MAX = 8;

    /** The limit is how many signals come within one call; the JVM's own are a handful. */
    private static final int INTERRUPTS_MAX = 1000;

    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;

    private static final int F_OFD_SETLK = 37;
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    /** struct flock: short type, short whence, 4 bytes, long start, long length, int pid (must be 0), 4 bytes. */
    private static final int FLOCK_BYTES = 32;

    private static final long TMPFS_MAGIC = 0x01021994L;
    private static final long HUGETLBFS_MAGIC = 0x958458f6L;
    /** struct statfs is 120 bytes; the rest is room. */
    private static final int STATFS_BYTES = 256;

    private final Syscalls numbers;

    FileCalls(Syscalls numbers) {
        this.numbers = numbers;
    }

    JnaFile open(Path path, OpenMode mode, int permissions) {
        return switch (mode) {
            case READ_ONLY -> orThrow(path, mode, tryOpen(path, 0, 0));
            case READ_WRITE -> orThrow(path, mode, tryOpen(path, O_RDWR, 0));
            case CREATE_NEW -> created(path, mode, permissions, tryOpen(path, O_RDWR | O_CREAT | O_EXCL, permissions));
            case CREATE -> openOrCreate(path, permissions);
        };
    }

    private JnaFile openOrCreate(Path path, int permissions) {
        int result = 0;
        for (int attempt = 0; attempt < CREATE_ATTEMPTS_MAX; attempt++) {
            result = tryOpen(path, O_RDWR | O_CREAT | O_EXCL, permissions);
            if (result != -Errno.EEXIST.number()) {
                return created(path, OpenMode.CREATE, permissions, result);
            }
            result = tryOpen(path, O_RDWR, 0);
            if (result != -Errno.ENOENT.number()) {
                break;
            }
        }
        return orThrow(path, OpenMode.CREATE, result);
    }

    /** The descriptor, or minus errno. */
    private static int tryOpen(Path path, int flags, int permissions) {
        try (var scratch = new NativeScratch()) {
            var name = scratch.path(path);
            int result = 0;
            for (int attempt = 0; attempt < INTERRUPTS_MAX; attempt++) {
                int descriptor = LibC.open(name.address(), flags | O_ALWAYS, permissions);
                result = descriptor < 0 ? -LibC.errno() : descriptor;
                if (result != -Errno.EINTR.number()) {
                    break;
                }
            }
            return result;
        }
    }

    private static JnaFile orThrow(Path path, OpenMode mode, int result) {
        if (result < 0) {
            throw new LinuxException("open of " + path + " (" + mode + ")", -result);
        }
        return new JnaFile(result, path.toString());
    }

    private JnaFile created(Path path, OpenMode mode, int permissions, int result) {
        var file = orThrow(path, mode, result);
        try {
            setPermissions(file, permissions); // the umask may have taken some away
            return file;
        } catch (LinuxException e) {
            file.close();
            try (var scratch = new NativeScratch()) {
                LibC.unlink(scratch.path(path).address());
            }
            throw e;
        }
    }

    JnaFile reopen(JnaFile file, OpenMode mode) {
        if (mode == OpenMode.CREATE || mode == OpenMode.CREATE_NEW) {
            throw new IllegalArgumentException("reopen of " + file + ": the file is there, so it cannot be " + mode);
        }
        int flags = mode == OpenMode.READ_WRITE ? O_RDWR : 0;
        int result = file.call(descriptor -> {
            try (var scratch = new NativeScratch()) {
                var name = scratch.path(Path.of("/proc/self/fd/" + descriptor));
                return LibC.open(name.address(), flags | O_ALWAYS, 0);
            }
        });
        if (result < 0) {
            throw new LinuxException("reopen of " + file + " (" + mode + ")", -result);
        }
        return new JnaFile(result, file.name());
    }

    FileStatus status(JnaFile file) {
        return Statx.read(numbers, file);
    }

    void setLength(JnaFile file, long bytes) {
        int result = 0;
        for (int attempt = 0; attempt < INTERRUPTS_MAX; attempt++) {
            result = file.call(descriptor -> LibC.ftruncate(descriptor, bytes));
            if (result != -Errno.EINTR.number()) {
                break;
            }
        }
        check(result, () -> "ftruncate of " + file + " to " + bytes + " bytes");
    }

    void setPermissions(JnaFile file, int permissions) {
        int result = file.call(descriptor -> LibC.fchmod(descriptor, permissions));
        check(result, () -> "fchmod of " + file + " to 0" + Integer.toOctalString(permissions));
    }

    Errno punchHole(JnaFile file, long offsetBytes, long bytes) {
        int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
        return errno(file.call(descriptor -> LibC.fallocate(descriptor, mode, offsetBytes, bytes)));
    }

    long read(JnaFile file, MemorySegment target, long offsetBytes) {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("read of " + file + " into memory that is read-only");
        }
        return transfer(file, target, offsetBytes, "pread", LibC::pread);
    }

    long write(JnaFile file, MemorySegment source, long offsetBytes) {
        return transfer(file, source, offsetBytes, "pwrite", LibC::pwrite);
    }

    private static long transfer(JnaFile file, MemorySegment memory, long offsetBytes, String name, Transfer call) {
        long bytes = memory.byteSize();
        long result = 0;
        for (int attempt = 0; attempt < INTERRUPTS_MAX; attempt++) {
            result = MappedMemory.use(
                    memory,
                    address -> file.callLong(descriptor -> call.transfer(descriptor, address, bytes, offsetBytes)));
            if (result != -Errno.EINTR.number()) {
                break;
            }
        }
        check(result, () -> name + " of " + bytes + " bytes at offset " + offsetBytes + " of " + file);
        return result;
    }

    FileSystemStatus fileSystem(Path path) {
        try (var scratch = new NativeScratch()) {
            var result = scratch.allocate(STATFS_BYTES);
            int returned = LibC.statfs(scratch.path(path).address(), result.address());
            check(returned < 0 ? -LibC.errno() : 0, () -> "statfs of " + path);
            return fileSystem(result);
        }
    }

    /** The page (block) bytes of the file system that the file lies on. */
    static long pageBytes(JnaFile file) {
        try (var scratch = new NativeScratch()) {
            var result = scratch.allocate(STATFS_BYTES);
            check(file.call(descriptor -> LibC.fstatfs(descriptor, result.address())), () -> "fstatfs of " + file);
            return fileSystem(result).pageBytes();
        }
    }

    private static FileSystemStatus fileSystem(MemorySegment statfs) {
        long magic = statfs.get(JAVA_LONG, 0) & 0xffffffffL;
        var kind = magic == TMPFS_MAGIC
                ? FileSystemStatus.Kind.TMPFS
                : magic == HUGETLBFS_MAGIC ? FileSystemStatus.Kind.HUGETLBFS : FileSystemStatus.Kind.OTHER;
        long blockBytes = statfs.get(JAVA_LONG, 8);
        long total = Math.max(0, statfs.get(JAVA_LONG, 16));
        long available = Math.max(0, statfs.get(JAVA_LONG, 32));
        return new FileSystemStatus(kind, blockBytes, available * blockBytes, total * blockBytes);
    }

    Errno tryLock(JnaFile file, long offsetBytes) {
        return lock(file, offsetBytes, F_WRLCK);
    }

    Errno tryLockShared(JnaFile file, long offsetBytes) {
        return lock(file, offsetBytes, F_RDLCK);
    }

    void unlock(JnaFile file, long offsetBytes) {
        var errno = lock(file, offsetBytes, F_UNLCK);
        check(-errno.number(), () -> "unlock of byte " + offsetBytes + " of " + file);
    }

    private static Errno lock(JnaFile file, long offsetBytes, short type) {
        try (var scratch = new NativeScratch()) {
            var flock = scratch.allocate(FLOCK_BYTES);
            flock.set(JAVA_SHORT, 0, type);
            flock.set(JAVA_LONG, 8, offsetBytes);
            flock.set(JAVA_LONG, 16, 1);
            flock.set(JAVA_INT, 24, 0);
            var errno = errno(file.call(descriptor -> LibC.fcntl(descriptor, F_OFD_SETLK, flock.address())));
            // POSIX lets the kernel say either; Linux says EAGAIN (fcntl(2)).
            return errno == Errno.EACCES ? Errno.EAGAIN : errno;
        }
    }

    static Errno errno(int result) {
        return result >= 0 ? Errno.OK : Errno.of(-result);
    }

    private static void check(long result, Supplier<String> attempted) {
        if (result < 0) {
            throw new LinuxException(attempted.get(), (int) -result);
        }
    }

    @FunctionalInterface
    private interface Transfer {
        long transfer(int descriptor, long address, long bytes, long offset);
    }
}
