package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** A listening socket. close() may come from any thread, and ends an accept that waits on another. */
final class JnaListener implements UnixListener {
    private static final int SOCK_CLOEXEC = 0x80000;

    /** Connections that ended before they were taken, in one go; whoever makes that many makes them on purpose. */
    private static final int ABORTED_MAX = 10_000;

    private final JnaFile socket;
    private final Path path;
    private final Optional<Object> key;

    /** @param key what identifies the socket file, so that close() leaves a successor's alone */
    JnaListener(JnaFile socket, Path path, Optional<Object> key) {
        this.socket = socket;
        this.path = path;
        this.key = key;
    }

    @Override
    public UnixConnection accept(int timeoutMillis) {
        SocketCalls.requirePositive(timeoutMillis);
        int result = 0;
        for (int attempt = 0; attempt < ABORTED_MAX; attempt++) {
            result = socket.call(s -> LibC.accept4(s, 0, 0, SOCK_CLOEXEC));
            if (result != -Errno.EINTR.number() && result != -Errno.ECONNABORTED.number()) {
                break;
            }
        }
        if (result < 0) {
            throw new LinuxException("accept at " + socket, -result);
        }
        return new JnaConnection(new JnaFile(result, "a client of " + path), "a client of " + path, timeoutMillis);
    }

    @Override
    public void close() {
        SocketCalls.shutDown(socket);
        socket.close();
        if (key.isPresent() && key.equals(fileKey(path))) {
            SocketCalls.unlinkIfThere(path);
        }
    }

    /** Device and inode of the file at this path, or empty where there is none. */
    static Optional<Object> fileKey(Path path) {
        try {
            var attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.ofNullable(attributes.fileKey());
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("reading the status of " + path, e);
        }
    }
}
