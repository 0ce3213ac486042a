package io.numabufferpool.client;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.NumaTopologyReader;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.Durability;
import io.numabufferpool.pool.PoolOptions;
import io.numabufferpool.pool.PoolStatistics;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * This process's attachment to the buffer pool of its pod. Thread-safe; one a process is enough.
 *
 * <pre>{@code
 * try (var client = PoolClient.attach();
 *         var space = client.openFile(Path.of("/data/orders.db"));
 *         var session = client.openSession();
 *         var block = session.pin(space, 42)) {
 *     block.bytes().get(ValueLayout.JAVA_LONG, 0);
 * }
 * }</pre>
 *
 * <p>Nothing here depends on the sidecar's life after the attachment: while it restarts, pins and reads go on. Whether this process
 * lives, others see by its lock on {@code clients.lock}, which ends with the process however it ends.
 */
public final class PoolClient implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PoolClient.class.getName());

    /** One thread for what applications forget to close. */
    private static final Cleaner CLEANER = Cleaner.create();

    private final Linux linux;
    private final Attachment attachment;
    private final NoticeLine noticeLine;
    private final FileWatch fileWatch = new FileWatch();
    private final Set<WritableFile> writableFiles = ConcurrentHashMap.newKeySet();
    private final AtomicInteger openSessions = new AtomicInteger();
    private final CpuSet boundCpus;
    private volatile boolean closed;

    private PoolClient(Linux linux, Attachment attachment) {
        this.boundCpus = BoundThreads.bind(linux, attachment.advisedCpus());
        this.linux = linux;
        this.attachment = attachment;
        this.noticeLine = new NoticeLine(linux, attachment);
    }

    /**
     * Attaches to the pool of this container: the folder is in the environment variable {@value AttachProtocol#FOLDER_VARIABLE}.
     *
     * @throws AttachFailed with what to look at, if there is no pool, no sidecar answers in time, or it refuses this client
     */
    public static PoolClient attach() {
        return attach(AttachAttempts.folderFrom(System.getenv(AttachProtocol.FOLDER_VARIABLE)));
    }

    /** Attaches through this folder: the one with {@code attach.sock} and {@code clients.lock}. */
    public static PoolClient attach(Path attachFolder) {
        var linux = new JnaLinux();
        var numaNode = new CurrentNumaNode(linux, new NumaTopologyReader().read());
        var options = PoolOptions.defaults().withCurrentNumaNode(numaNode);
        return attach(linux, attachFolder, options, AttachAttempts.WAIT_NANOS);
    }

    static PoolClient attach(Linux linux, Path attachFolder, PoolOptions options, long waitNanos) {
        var client = new PoolClient(linux, new AttachAttempts(linux, attachFolder, waitNanos).attach(options));
        client.noticeLine.start();
        return client;
    }

    /**
     * Opens a regular file or block device as a space.
     *
     * @throws IOException if it cannot be opened
     * @throws AttachFailed if the sidecar has made another segment meanwhile
     */
    public PoolSpace openFile(Path file) throws IOException {
        requireCurrentSegment();
        var open = OpenFile.open(linux, attachment.pool(), file);
        fileWatch.add(open);
        var watch = fileWatch;
        return new PoolSpace(this, open, attachment.pool().bufferBytes(), CLEANER, () -> watch.remove(open));
    }

    /**
     * Opens a regular file or block device to change it through the pool: when a {@link WritableBuffer} is closed, the file has the
     * change. Takes one slot.
     *
     * @throws IOException if it cannot be opened
     * @throws io.numabufferpool.pool.PoolException.SpaceInUse if it is open for writing through another pool, or to be written back
     * @throws AttachFailed if the sidecar has made another segment meanwhile
     */
    public WritablePoolSpace openWriteThrough(Path file) throws IOException {
        return openWritable(file, Durability.WRITE_THROUGH, null);
    }

    /**
     * The same, but changes are written to the file later, in the background, and never before {@code log} is durable up to their
     * position. A bounded share of the pool is dirty at once; beyond it a change waits for the storage.
     */
    public WritablePoolSpace openWriteBack(Path file, WriteAheadLog log) throws IOException {
        return openWritable(file, Durability.WRITE_BACK, log);
    }

    private WritablePoolSpace openWritable(Path file, Durability durability, @Nullable WriteAheadLog log)
            throws IOException {
        requireCurrentSegment();
        if (readOnly()) {
            throw new IOException(file + " cannot be opened for writing: the pool's spec.access is ReadOnly");
        }
        var open = WritableFile.open(linux, attachment.pool(), file, durability, log);
        writableFiles.add(open);
        var files = writableFiles;
        return new WritablePoolSpace(this, open, attachment.pool().bufferBytes(), CLEANER, () -> {
            open.abandon();
            files.remove(open);
        });
    }

    /**
     * Leases a slot.
     *
     * @throws io.numabufferpool.pool.PoolException.NoFreeSlot if all are leased for a while; names the holders
     * @throws AttachFailed if the sidecar has made another segment meanwhile
     */
    public PoolSession openSession() {
        requireCurrentSegment();
        var slot = attachment.pool().openSession();
        openSessions.incrementAndGet();
        return new PoolSession(this, slot, CLEANER);
    }

    private void requireCurrentSegment() {
        requireOpen();
        noticeLine.segmentLost().ifPresent(why -> {
            throw new AttachFailed(why);
        });
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("This PoolClient is closed.");
        }
    }

    /** Of a session that was closed, or became unreachable without it. */
    void release(io.numabufferpool.pool.PoolSession slot, boolean byOwner) {
        openSessions.decrementAndGet();
        if (closed) {
            return;
        }
        try {
            slot.close();
        } catch (IllegalStateException e) {
            if (byOwner) {
                throw e;
            }
            LOG.log(Level.WARNING, "slot of a lost session reason={0}", e.getMessage());
        }
    }

    /** Bytes of one buffer and of one block. */
    public int bufferBytes() {
        return attachment.pool().bufferBytes();
    }

    /** True where {@code spec.access} is ReadOnly: hits come from the pool, misses are read into memory of this process. */
    public boolean readOnly() {
        return attachment.access() == Access.READ_ONLY;
    }

    /** Under which the sidecar and other clients see this one. */
    public int clientNumber() {
        return attachment.clientNumber();
    }

    /** Of the attached segment. */
    public long generation() {
        return attachment.generation();
    }

    /**
     * The CPUs that attaching has bound every thread of this process to, because the pool has {@code spec.placement.bindCpus};
     * empty where it has not, or where this container may use none of them. Closing leaves the threads bound.
     */
    public CpuSet boundCpus() {
        return boundCpus;
    }

    /** How the whole pool is used, by all its clients. */
    public PoolStatistics readStatistics() {
        requireOpen();
        return attachment.pool().readStatistics();
    }

    /**
     * Detaches. Close sessions first. Slots of sessions that are still open come back through the sidecar, which sees at once that this
     * client ended; threads that still use them get an exception.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        int left = openSessions.get();
        if (left > 0) {
            LOG.log(Level.WARNING, "client closed with open sessions client={0} sessions={1}", this, left);
        }
        fileWatch.close();
        writableFiles.forEach(this::finish);
        attachment.release();
        noticeLine.close();
    }

    /** Of a space that was not closed. */
    private void finish(WritableFile file) {
        try {
            file.finish();
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "pages not written path={0} reason={1}", file.path(), e.getMessage());
        }
    }

    @Override
    public String toString() {
        return "client " + attachment.clientNumber() + " at " + attachment.folder();
    }
}
