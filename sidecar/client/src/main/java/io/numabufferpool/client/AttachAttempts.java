package io.numabufferpool.client;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.pool.PoolOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Attaches, waits a bounded time for a sidecar that is starting or restarting, and otherwise says what to look at. */
final class AttachAttempts {
    /** A restarted sidecar listens again after a second or two; one that places a large pool takes longer. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long RETRY_MILLIS = 100;

    private static final String LOOK_AT_SIDECAR =
            " In a pod, look at the container numa-buffer-pool: kubectl logs POD -c numa-buffer-pool; elsewhere, at numapool serve.";

    private final Linux linux;
    private final Path folder;
    private final long waitNanos;

    AttachAttempts(Linux linux, Path folder, long waitNanos) {
        this.linux = linux;
        this.folder = folder;
        this.waitNanos = waitNanos;
    }

    /** The folder from the environment of a container. */
    static Path folderFrom(@Nullable String variable) {
        if (variable == null || variable.isBlank()) {
            throw new AttachFailed(AttachProtocol.FOLDER_VARIABLE + " is not set, so this container has no pool."
                    + " Give the pod the label numabufferpool.io/pool: NAME, and see whether spec.containers of that pool names"
                    + " this container. Outside a pod, set it to the folder attach of numapool serve's --dir.");
        }
        return Path.of(variable);
    }

    /** Tries until it is attached, refused for good, or the time is over. */
    Attachment attach(PoolOptions options) {
        requireFolder();
        var handshake = new AttachHandshake(linux, folder);
        long beganNanos = System.nanoTime();
        while (true) {
            String why;
            try {
                return handshake.attach(options);
            } catch (AttachHandshake.Refused e) {
                if (e.forGood()) {
                    throw new AttachFailed("The sidecar at " + folder + " refused this client: " + e.sentence(), e);
                }
                why = "The sidecar said: " + e.sentence();
            } catch (MalformedMessage e) {
                // An end in the midst of an answer is what a sidecar that is being stopped leaves.
                why = e.sentence();
            } catch (LinuxException e) {
                why = sentence(e);
            }
            if (System.nanoTime() - beganNanos >= waitNanos) {
                throw new AttachFailed("Not attached at " + folder + " within "
                        + TimeUnit.NANOSECONDS.toMillis(waitNanos) + " ms. " + why + LOOK_AT_SIDECAR);
            }
            pause();
        }
    }

    private void requireFolder() {
        if (!Files.isDirectory(folder)) {
            throw new AttachFailed("The attach folder " + folder + " is not in this container. The pod needs the label"
                    + " numabufferpool.io/pool: NAME, spec.containers of that pool must name this container, and the volume"
                    + " numa-buffer-pool-attach must be mounted at " + folder + ".");
        }
        if (!Files.exists(folder.resolve(AttachProtocol.LOCK_NAME))) {
            throw new AttachFailed("The attach folder " + folder + " has no " + AttachProtocol.LOCK_NAME
                    + ": no sidecar has served there." + LOOK_AT_SIDECAR);
        }
    }

    private String sentence(LinuxException e) {
        return switch (e.errno()) {
            case ENOENT, ECONNREFUSED -> "Nobody listens there: " + e.getMessage() + ".";
            case EACCES, EPERM ->
                throw new AttachFailed(
                        "This process (uid " + linux.processStatus().uid() + ") may not use " + folder + ": "
                                + e.getMessage() + ". The sidecar makes " + AttachProtocol.SOCKET_NAME + " and "
                                + AttachProtocol.LOCK_NAME
                                + " with mode 0666: see who changed it, and the mode of the folder itself.",
                        e);
            case ENOMEM ->
                throw new AttachFailed(
                        "The segment cannot be mapped: " + e.getMessage()
                                + ". Raise this process's limit of address space (ulimit -v).",
                        e);
            default -> e.getMessage() + ".";
        };
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttachFailed("Interrupted while waiting for the sidecar.", e);
        }
    }
}
