package io.numabufferpool.client;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.UnixConnection;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the notice connection open over restarts of the sidecar, on a thread of its own. Nothing else depends on it: the mapping and
 * the lock byte stay as they are while the sidecar is away.
 */
final class NoticeLine implements AutoCloseable {
    /** The first pause after the end of a connection: a sidecar that only stumbled is back at once. */
    private static final long BACKOFF_MILLIS_MIN = 100;

    /** The longest pause: a client is listed again this long after the sidecar is back, at most. */
    private static final long BACKOFF_MILLIS_MAX = 5_000;

    /** The thread sees the closed connection at once; this bounds a handshake that it is in. */
    private static final long CLOSE_MILLIS = 2L * AttachProtocol.MESSAGE_TIMEOUT_MILLIS;

    private static final System.Logger LOG = System.getLogger(NoticeLine.class.getName());

    private final AttachHandshake handshake;
    private final Linux linux;
    private final Attachment attachment;
    private final Thread thread;

    /** Guarded by this. */
    private @Nullable UnixConnection connection;

    /** Guarded by this. */
    private boolean closed;

    private volatile @Nullable String segmentLost;

    NoticeLine(Linux linux, Attachment attachment) {
        this.linux = linux;
        this.attachment = attachment;
        this.handshake = new AttachHandshake(linux, attachment.folder());
        this.connection = attachment.connection();
        this.thread = new Thread(this::keep, "numapool-notice");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Why the attached segment is not the pool's segment any more: the sidecar made another one. Empty: it is. */
    Optional<String> segmentLost() {
        return Optional.ofNullable(segmentLost);
    }

    private void keep() {
        long backoffMillis = BACKOFF_MILLIS_MIN;
        while (segmentLost == null) {
            var current = current();
            if (current != null) {
                waitForTheEnd(current);
                backoffMillis = BACKOFF_MILLIS_MIN;
            }
            if (!pause(backoffMillis)) {
                return;
            }
            reconnect();
            backoffMillis = Math.min(2 * backoffMillis, BACKOFF_MILLIS_MAX);
        }
    }

    private synchronized @Nullable UnixConnection current() {
        return connection;
    }

    /** Returns when the sidecar has closed the connection, or close() has. The sidecar never says anything on it. */
    private void waitForTheEnd(UnixConnection current) {
        boolean open = true;
        while (open) {
            try {
                open = current.receive(1, 0).bytes().length > 0;
            } catch (LinuxException e) {
                // Silence until the connection's own time limit is what a quiet day looks like.
                open = e.errno() == Errno.ETIMEDOUT;
            }
        }
        forget(current);
    }

    private void reconnect() {
        try {
            var fresh = linux.connect(
                    attachment.folder().resolve(AttachProtocol.SOCKET_NAME), AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
            keep(fresh);
            if (introduce(fresh)) {
                LOG.log(Level.INFO, "sidecar is back client={0}", attachment.clientNumber());
                return;
            }
            forget(fresh);
        } catch (LinuxException e) {
            LOG.log(Level.DEBUG, "sidecar is away reason={0}", e.getMessage());
        }
    }

    /** True if the sidecar has listed this client again. */
    private boolean introduce(UnixConnection fresh) {
        try (var granted = handshake.request(fresh)) {
            if (!isOurs(granted.answer().generation())) {
                return false;
            }
            handshake.claim(fresh, attachment.clientNumber());
            return true;
        } catch (AttachHandshake.Refused e) {
            LOG.log(Level.DEBUG, "sidecar does not list this client reason={0}", e.sentence());
            isOurs(e.generation());
            return false;
        } catch (MalformedMessage | LinuxException e) {
            LOG.log(Level.DEBUG, "sidecar did not finish the handshake reason={0}", e.getMessage());
            return false;
        }
    }

    /** False, and remembered, if the sidecar serves another segment; 0 means that it serves none yet. */
    private boolean isOurs(long generation) {
        if (generation == attachment.generation() || generation == 0) {
            return true;
        }
        var lost = "The sidecar made a new segment (generation " + Long.toHexString(generation)
                + ") in place of the one that"
                + " this client is attached to (" + Long.toHexString(attachment.generation())
                + "). Close this client and attach again.";
        LOG.log(Level.WARNING, "segment replaced client={0} reason={1}", attachment.clientNumber(), lost);
        segmentLost = lost;
        return false;
    }

    /** From now on close() ends this connection. */
    private synchronized void keep(UnixConnection fresh) {
        connection = fresh;
        if (closed) {
            fresh.close();
        }
    }

    private void forget(UnixConnection ended) {
        ended.close();
        synchronized (this) {
            connection = null;
        }
    }

    /** False when it is time to end. */
    private synchronized boolean pause(long millis) {
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long left = millis;
                    left > 0 && !closed;
                    left = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime())) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (connection != null) {
                connection.close();
            }
            notifyAll();
        }
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
