package io.numabufferpool.client;

import io.numabufferpool.linux.FileStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.Durability;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.pool.SpaceFile;
import io.numabufferpool.pool.SpaceIdentity;
import io.numabufferpool.pool.WritableSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The open file behind a space that is changed through the pool, and the thread that writes its pages back. Thread-safe.
 *
 * <p>While it is open it holds a shared lock on one byte of the file, far beyond any content, and one slot of the pool: so the reaper
 * looks after what this process leaves if it dies.
 */
final class WritableFile implements SpaceContent {
    /** Beyond the longest file of every file system; a lock needs no byte there. */
    private static final long LOCK_OFFSET = 1L << 62;

    private static final long WAIT_NANOS = 10_000_000_000L;

    /** How long a change is in the pool only. */
    static final long WRITE_BACK_PAUSE_NANOS = 100_000_000;

    /** Storage that refuses a write is not asked again at once. */
    private static final long AFTER_FAILURE_NANOS = 1_000_000_000;

    /** One buffer in so many may be dirty by this client before changes wait for the storage. */
    private static final int DIRTY_SHARE = 8;

    private static final System.Logger LOG = System.getLogger(WritableFile.class.getName());

    private final Linux linux;
    private final BufferPool pool;
    private final Path path;
    private final LinuxFile file;
    private final WritableSpace space;
    private final @Nullable WriteAheadLog log;
    private final SpaceFile asSpaceFile = new Lock();
    private final io.numabufferpool.pool.PoolSession writer;
    private final Thread thread;

    /** Pages this client has changed since the last round of write-back, some perhaps more than once. */
    private final AtomicLong changes = new AtomicLong();

    private volatile long bytes;
    private volatile boolean closed;

    /** Of the thread alone. */
    private int orphaningsSeen;

    private WritableFile(
            Linux linux,
            BufferPool pool,
            Path path,
            LinuxFile file,
            Durability durability,
            @Nullable WriteAheadLog log) {
        this.linux = linux;
        this.pool = pool;
        this.path = path;
        this.file = file;
        this.log = log;
        this.bytes = linux.status(file).bytes();
        this.writer = pool.openSession();
        try {
            this.space = pool.openWritableSpace(asSpaceFile, durability);
        } catch (RuntimeException e) {
            writer.close();
            throw e;
        }
        this.orphaningsSeen = space.orphanings();
        this.thread = new Thread(this::writeBackUntilClosed, "numapool-write-back");
        thread.setDaemon(true);
    }

    /** Opens a regular file or block device for reading and writing. {@code log}: for {@link Durability#WRITE_BACK}. */
    static WritableFile open(
            Linux linux, BufferPool pool, Path path, Durability durability, @Nullable WriteAheadLog log)
            throws IOException {
        LinuxFile file;
        try {
            file = linux.open(path, OpenMode.READ_WRITE, 0);
        } catch (LinuxException e) {
            throw new IOException(e.getMessage(), e);
        }
        try {
            if (linux.status(file).kind() == FileStatus.Kind.OTHER) {
                throw new IOException(
                        path + " is neither a regular file nor a block device; a space must be one of them.");
            }
            var opened = new WritableFile(linux, pool, path, file, durability, log);
            opened.thread.start();
            return opened;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** How the pool locks and identifies the file. */
    private final class Lock implements SpaceFile {
        @Override
        public SpaceIdentity identity() {
            return OpenFile.identity(linux.status(file));
        }

        @Override
        public boolean tryLockAlone() {
            return linux.tryLock(file, LOCK_OFFSET).ok();
        }

        @Override
        public boolean tryLockShared() {
            return linux.tryLockShared(file, LOCK_OFFSET).ok();
        }

        @Override
        public void unlock() {
            linux.unlock(file, LOCK_OFFSET);
        }
    }

    WritableSpace space() {
        return space;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public int number() {
        return space.number();
    }

    /** Length as far as this process knows; another one may have made it longer. */
    @Override
    public long bytes() {
        return bytes;
    }

    /** The same after a look at the file. */
    @Override
    public long refreshBytes() {
        bytes = linux.status(file).bytes();
        return bytes;
    }

    /** @throws SpaceChanged if the file is shorter than its pages say */
    @Override
    public void checkUnchanged() throws IOException {
        long before = bytes;
        if (refreshBytes() < before) {
            throw new SpaceChanged(path + " has " + bytes + " bytes; it had " + before
                    + " and is open for writing through the pool: nobody else may change it. Open it again.");
        }
    }

    @Override
    public void load(MemorySegment target, long block, int number) throws IOException {
        long offset = Math.multiplyExact(block, target.byteSize());
        long done = 0;
        while (done < target.byteSize()) {
            long read;
            try {
                read = linux.read(file, target.asSlice(done), offset + done);
            } catch (LinuxException e) {
                throw new IOException(e.getMessage(), e);
            }
            if (read == 0) {
                break;
            }
            done += read;
        }
        target.asSlice(done).fill((byte) 0);
    }

    /** After the log, if there is one. */
    void write(MemorySegment source, long block, long logPosition) throws IOException {
        if (log != null && logPosition > 0) {
            long durable = log.flushUpTo(logPosition);
            if (durable < logPosition) {
                throw new IOException("block " + block + " of " + path + " needs its log up to " + logPosition
                        + "; it is durable up to " + durable + ", so the block was not written");
            }
            space.raiseLoggedPosition(durable);
        }
        long offset = Math.multiplyExact(block, source.byteSize());
        long length = offset < bytes ? bytes : refreshBytes();
        long wanted = Math.min(source.byteSize(), length - offset);
        long done = 0;
        try {
            while (done < wanted) {
                done += linux.write(file, source.asSlice(done, wanted - done), offset + done);
            }
        } catch (LinuxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Of a page that this session has pinned and just changed. */
    void changed(io.numabufferpool.pool.PoolSession session, long handle) throws IOException {
        long unwritten = changes.incrementAndGet();
        if (space.durability() == Durability.WRITE_THROUGH || unwritten > pool.bufferCount() / DIRTY_SHARE) {
            session.flush(handle, this::write);
            changes.decrementAndGet();
        }
    }

    private void writeBackUntilClosed() {
        while (!closed) {
            LockSupport.parkNanos(WRITE_BACK_PAUSE_NANOS);
            try {
                writeBack();
            } catch (IOException | UncheckedIOException | LinuxException | PoolException e) {
                LOG.log(Level.WARNING, "pages not written back path={0} reason={1}", path, e.getMessage());
                LockSupport.parkNanos(AFTER_FAILURE_NANOS);
            }
        }
    }

    private synchronized void writeBack() throws IOException {
        if (closed || mustBeRecovered()) {
            return;
        }
        int orphanings = space.orphanings();
        if (orphanings != orphaningsSeen) {
            writer.flushOrphans(space.number(), this::write);
            orphaningsSeen = orphanings;
        }
        if (space.durability() == Durability.WRITE_BACK && changes.get() > 0) {
            writeAll();
        }
    }

    private void writeAll() throws IOException {
        long begun = changes.getAndSet(0);
        boolean written = false;
        try {
            writer.flushSpace(space.number(), this::write);
            written = true;
        } finally {
            if (!written) {
                changes.addAndGet(begun);
            }
        }
    }

    /** Changes up to here outlive who made them; -1: there is no log, so none do. */
    long durablePosition() {
        return space.durability() == Durability.WRITE_BACK ? space.loggedPosition() : -1;
    }

    private boolean mustBeRecovered() {
        try {
            space.requireWhole();
            return false;
        } catch (PoolException.PeerDied e) {
            return true;
        }
    }

    void extend(long newBytes) throws IOException {
        if (newBytes < 0) {
            throw new IllegalArgumentException("length " + newBytes + " of " + path + " must be 0 or more bytes");
        }
        try {
            space.whileLocked(WAIT_NANOS, () -> {
                if (refreshBytes() < newBytes) {
                    linux.setLength(file, newBytes);
                    refreshBytes();
                }
            });
        } catch (LinuxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    void force() throws IOException {
        // Any description of the file will do: what is made durable belongs to the file.
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(false);
        }
    }

    /** Writes what is left to write and ends the use of the space. */
    synchronized void finish() throws IOException {
        if (closed) {
            return;
        }
        try {
            if (!mustBeRecovered()) {
                writer.flushSpace(space.number(), this::write);
            }
        } finally {
            abandon();
        }
    }

    /** Ends the use of the space as it is. */
    @Override
    public synchronized void abandon() {
        if (closed) {
            return;
        }
        closed = true;
        LockSupport.unpark(thread);
        try {
            space.close(asSpaceFile, WAIT_NANOS);
        } finally {
            writer.close();
            file.close();
        }
    }
}
