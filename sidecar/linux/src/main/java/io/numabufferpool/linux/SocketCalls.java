package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Unix stream sockets: making, connecting and waiting for them. Thread-safe. */
final class SocketCalls {
    static final int SOL_SOCKET = 1;
    private static final int SOCK_STREAM_CLOEXEC = 1 | 0x80000;
    private static final int SO_SNDTIMEO = 21;
    private static final int SHUT_RDWR = 2;

    private static final int S_IFMT = 0xf000;
    private static final int S_IFSOCK = 0xc000;

    static final short POLLIN = 1;
    static final short POLLOUT = 4;
    /** struct pollfd: int descriptor, short events, short returned events. */
    private static final int POLLFD_BYTES = 8;

    private final FileCalls files;

    SocketCalls(FileCalls files) {
        this.files = files;
    }

    UnixListener listen(Path path, int permissions, int backlog) {
        requireReplaceable(path);
        // Made beside its place and renamed into it: whoever sees the name can connect, with the right permissions.
        var made = path.resolveSibling(path.getFileName() + ".new");
        var socket = socket(path);
        try {
            unlinkIfThere(made);
            try (var address = new SocketAddress(files, made)) {
                check(socket.call(s -> LibC.bind(s, address.address(), address.bytes())), "bind", path);
            }
            check(withPath(made, LibC::chmod, permissions), "chmod", path);
            check(socket.call(s -> LibC.listen(s, backlog)), "listen", path);
            var key = JnaListener.fileKey(made);
            try (var scratch = new NativeScratch()) {
                int renamed = LibC.rename(
                        scratch.path(made).address(), scratch.path(path).address());
                check(renamed < 0 ? -LibC.errno() : 0, "rename into place", path);
            }
            return new JnaListener(socket, path, key);
        } catch (LinuxException e) {
            socket.close();
            unlinkIfThere(made);
            throw e;
        }
    }

    private static void requireReplaceable(Path path) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isSocket(path)) {
            throw new LinuxException(
                    "listen at " + path
                            + ", where something other than a socket lies (remove it, or name another path),",
                    Errno.EEXIST.number());
        }
    }

    private static boolean isSocket(Path path) {
        try {
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (mode & S_IFMT) == S_IFSOCK;
        } catch (IOException e) {
            throw new UncheckedIOException("reading the kind of " + path, e);
        }
    }

    UnixConnection connect(Path path, int timeoutMillis) {
        requirePositive(timeoutMillis);
        var socket = socket(path);
        try (var address = new SocketAddress(files, path);
                var scratch = new NativeScratch()) {
            // A full backlog makes connect(2) wait for as long as sends may.
            var timeval = scratch.allocate(2L * Long.BYTES);
            timeval.set(JAVA_LONG, 0, timeoutMillis / 1000);
            timeval.set(JAVA_LONG, Long.BYTES, timeoutMillis % 1000 * 1000L);
            int set = socket.call(
                    s -> LibC.setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, timeval.address(), (int) timeval.byteSize()));
            check(set, "setsockopt SO_SNDTIMEO", path);
            int connected = socket.call(s -> LibC.connect(s, address.address(), address.bytes()));
            boolean late = connected == -Errno.EAGAIN.number() || connected == -Errno.EINTR.number();
            check(late ? -Errno.ETIMEDOUT.number() : connected, "connect within " + timeoutMillis + " ms", path);
            return new JnaConnection(socket, path.toString(), timeoutMillis);
        } catch (LinuxException e) {
            socket.close();
            throw e;
        }
    }

    static void requirePositive(int timeoutMillis) {
        if (timeoutMillis <= 0) {
            throw new IllegalArgumentException("timeoutMillis must be 1 or more, not " + timeoutMillis);
        }
    }

    private static JnaFile socket(Path path) {
        int result = LibC.socket(SocketAddress.AF_UNIX, SOCK_STREAM_CLOEXEC, 0);
        check(result < 0 ? -LibC.errno() : 0, "socket", path);
        return new JnaFile(result, path.toString());
    }

    /** Waits until the socket is ready for it, has ended, or the deadline (System.nanoTime) has passed: false. */
    static boolean await(JnaFile socket, short event, long deadlineNanos) {
        try (var scratch = new NativeScratch()) {
            var pollfd = scratch.allocate(POLLFD_BYTES);
            // Ends at the deadline: a signal only makes it ask again with the time that is left.
            for (long left = left(deadlineNanos); ; left = left(deadlineNanos)) {
                int millis = (int) TimeUnit.NANOSECONDS.toMillis(left + 999_999);
                int result = socket.call(descriptor -> {
                    pollfd.set(JAVA_INT, 0, descriptor);
                    pollfd.set(JAVA_SHORT, Integer.BYTES, event);
                    return LibC.poll(pollfd.address(), 1, millis);
                });
                if (result > 0) {
                    return true;
                }
                if (result < 0 && result != -Errno.EINTR.number()) {
                    throw new LinuxException("poll of " + socket, -result);
                }
                if (left == 0) {
                    return false;
                }
            }
        }
    }

    private static long left(long deadlineNanos) {
        return Math.max(0, deadlineNanos - System.nanoTime());
    }

    /** Ends whatever waits on the socket, on both sides. Of one that is not connected the answer is ENOTCONN: fine. */
    static void shutDown(JnaFile socket) {
        int result = socket.call(s -> LibC.shutdown(s, SHUT_RDWR));
        if (result < 0 && result != -Errno.ENOTCONN.number() && result != -Errno.EBADF.number()) {
            throw new LinuxException("shutdown of " + socket, -result);
        }
    }

    static void unlinkIfThere(Path path) {
        int result = withPath(path, (name, _) -> LibC.unlink(name), 0);
        if (result < 0 && result != -Errno.ENOENT.number()) {
            throw new LinuxException("unlink of " + path, -result);
        }
    }

    private static int withPath(Path path, PathCall call, int argument) {
        try (var scratch = new NativeScratch()) {
            int result = call.with(scratch.path(path).address(), argument);
            return result < 0 ? -LibC.errno() : result;
        }
    }

    private static void check(int result, String call, Path path) {
        if (result < 0) {
            throw new LinuxException(call + " of the Unix socket " + path, -result);
        }
    }

    @FunctionalInterface
    private interface PathCall {
        int with(long path, int argument);
    }
}
