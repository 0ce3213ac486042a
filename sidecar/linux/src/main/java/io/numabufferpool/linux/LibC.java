package io.numabufferpool.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * libc, directly mapped: the only native methods of the project.
 *
 * <p>Pointers are passed as {@code long} addresses of native memory that the caller keeps alive, so no Java object is
 * reachable from native code. A method that fails returns -1; the caller asks {@link #errno()} next, on the same thread:
 * JNA keeps the value per thread, right after the call, so nothing in between can change it. Functions come from the process
 * itself (dlopen of null), because the JVM has loaded the right libc already, whatever its file is called.
 */
final class LibC {
    static {
        Native.register(LibC.class, NativeLibrary.getProcess());
    }

    private LibC() {}

    /** The errno of this thread's last call. */
    static int errno() {
        return Native.getLastError();
    }

    // Files. off_t and size_t are 64 bits on both architectures.

    static native int open(long path, int flags, int mode);

    static native int close(int descriptor);

    static native int ftruncate(int descriptor, long bytes);

    static native int fchmod(int descriptor, int mode);

    static native int fallocate(int descriptor, int mode, long offset, long bytes);

    static native long pread(int descriptor, long buffer, long bytes, long offset);

    static native long pwrite(int descriptor, long buffer, long bytes, long offset);

    static native int statfs(long path, long result);

    static native int fstatfs(int descriptor, long result);

    static native int ioctl(int descriptor, long request, long argument);

    static native int fcntl(int descriptor, int command, long argument);

    static native int unlink(long path);

    static native int rename(long from, long to);

    static native int chmod(long path, int mode);

    /** Answers the errno itself, 0 for done (posix_fadvise(2)). */
    static native int posix_fadvise(int descriptor, long offset, long bytes, int advice);

    // Memory.

    static native long mmap(long address, long bytes, int protection, int flags, int descriptor, long offset);

    static native int munmap(long address, long bytes);

    static native int madvise(long address, long bytes, int advice);

    static native int mincore(long address, long bytes, long result);

    // Sockets.

    static native int socket(int domain, int type, int protocol);

    static native int bind(int socket, long address, int addressBytes);

    static native int listen(int socket, int backlog);

    static native int connect(int socket, long address, int addressBytes);

    static native int accept4(int socket, long address, long addressBytes, int flags);

    static native long sendmsg(int socket, long message, int flags);

    static native long recvmsg(int socket, long message, int flags);

    static native int setsockopt(int socket, int level, int option, long value, int valueBytes);

    static native int getsockopt(int socket, int level, int option, long value, long valueBytes);

    static native int shutdown(int socket, int how);

    static native int poll(long descriptors, long count, int timeoutMillis);

    // The machine and the thread.

    static native int getpid();

    static native int getpagesize();

    static native int uname(long result);

    static native int sched_getcpu();

    static native long pthread_self();

    // syscall(2) by the number of its arguments.

    static native long syscall(long number, long a, long b, long c);

    static native long syscall(long number, long a, long b, long c, long d, long e);

    static native long syscall(long number, long a, long b, long c, long d, long e, long f);
}
