package io.numabufferpool.client.attach;

import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.FileStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import java.nio.file.Path;

/**
 * One open file description of {@code clients.lock}: byte N of it is client number N, and whoever holds that byte's OFD lock is
 * client N and lives. The kernel drops the lock however a process ends (fcntl(2), "Open file description locks"). Thread-safe.
 *
 * <p>Locks of one description never exclude each other, so every party that must be told apart opens its own.
 */
public final class ClientsLock implements AutoCloseable {
    private final Linux linux;
    private final LinuxFile file;

    private ClientsLock(Linux linux, LinuxFile file) {
        this.linux = linux;
        this.file = file;
    }

    /** A client's description; the file must be there. */
    public static ClientsLock open(Linux linux, Path attachFolder) {
        return new ClientsLock(linux, linux.open(path(attachFolder), OpenMode.READ_WRITE, 0));
    }

    /** The sidecar's description; makes the file where it is absent and never replaces it: clients hold locks on it. */
    public static ClientsLock openOrCreate(Linux linux, Path attachFolder) {
        var file = linux.open(path(attachFolder), OpenMode.CREATE, AttachProtocol.PERMISSIONS);
        try {
            var status = linux.status(file);
            if (status.kind() != FileStatus.Kind.REGULAR) {
                throw new IllegalStateException(
                        path(attachFolder) + " is not a regular file. Remove it while no client is attached.");
            }
            if (status.permissions() != AttachProtocol.PERMISSIONS) {
                linux.setPermissions(file, AttachProtocol.PERMISSIONS);
            }
            return new ClientsLock(linux, file);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static Path path(Path attachFolder) {
        return attachFolder.resolve(AttachProtocol.LOCK_NAME);
    }

    /** True if the byte was free and is now held by this description; false if another one holds it: client N lives. */
    public boolean tryTake(int clientNumber) {
        var errno = linux.tryLock(file, clientNumber);
        return switch (errno) {
            case OK -> true;
            // POSIX lets a kernel say either (fcntl(2)).
            case EAGAIN, EACCES -> false;
            default ->
                throw new LinuxException("F_OFD_SETLK of byte " + clientNumber + " of " + file.name(), errno.number());
        };
    }

    /** Gives the byte back. */
    public void release(int clientNumber) {
        linux.unlock(file, clientNumber);
    }

    /** True if the file at the path is still the one that is open here: locks on another file say nothing. */
    public boolean isAt(Path attachFolder) {
        try (var there = linux.open(path(attachFolder), OpenMode.READ_WRITE, 0)) {
            var theirs = linux.status(there);
            var ours = linux.status(file);
            return theirs.device() == ours.device() && theirs.inode() == ours.inode();
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** Closes the description; the kernel drops its locks. */
    @Override
    public void close() {
        file.close();
    }
}
