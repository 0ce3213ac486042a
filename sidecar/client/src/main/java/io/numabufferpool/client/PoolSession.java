package io.numabufferpool.client;

import io.numabufferpool.pool.BlockLoader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One slot of the pool: pins and reads blocks. For one thread at a time; ten thousand threads share a few sessions through a queue.
 *
 * <p>A session that becomes unreachable without a close() gives its slot back when the garbage collector notices, so a thread that
 * ended in an error costs the pool nothing for good. Pins of such a session are gone with it.
 */
public final class PoolSession implements AutoCloseable {
    /** A file that is written faster than one block of it can be read will not be read well by trying more often. */
    private static final int CONTENT_ATTEMPTS_MAX = 16;

    /** A log of some GiB is read again in that time. */
    private static final long RECOVERY_WAIT_NANOS = 600_000_000_000L;

    private final PoolClient client;
    private final Slot slot;
    private final Cleaner.Cleanable cleanable;
    private final BlockLoader loader = this::load;
    private @Nullable PoolSpace loadingSpace;
    private int loadingNumber;
    private long loadCount;
    private @Nullable WritablePoolSpace recovering;

    PoolSession(PoolClient client, io.numabufferpool.pool.PoolSession slot, Cleaner cleaner) {
        this.client = client;
        this.slot = new Slot(slot, client);
        this.cleanable = cleaner.register(this, this.slot);
    }

    /** What must not refer to the session, so that the session can become unreachable. */
    private static final class Slot implements Runnable {
        private static final System.Logger LOG = System.getLogger(PoolSession.class.getName());

        private final io.numabufferpool.pool.PoolSession session;
        private final PoolClient client;
        private volatile boolean closedByOwner;

        Slot(io.numabufferpool.pool.PoolSession session, PoolClient client) {
            this.session = session;
            this.client = client;
        }

        @Override
        public void run() {
            if (!closedByOwner) {
                LOG.log(Level.WARNING, "a session was not closed; its slot is given back client={0}", client);
            }
            client.release(session, closedByOwner);
        }
    }

    /**
     * Pins a block: its bytes stay where they are until the returned handle is closed. Reads it from the file if no process has it in
     * the pool.
     *
     * @param block 0-based, below {@link PoolSpace#blockCount()}
     * @throws SpaceChanged if the file was replaced or has another length
     * @throws IOException if the file cannot be read
     * @throws io.numabufferpool.pool.PoolException.NoVictim if every buffer is pinned, after a bounded wait
     */
    public PinnedBuffer pin(PoolSpace space, long block) throws IOException {
        return pin(space, block, false);
    }

    /**
     * The same, and nobody changes the block until it is closed: for readers of a {@link WritablePoolSpace} that look at the bytes in
     * place. Others {@link #read} a copy, which is whole as well. Waits for who is changing it.
     *
     * @throws io.numabufferpool.pool.PoolException.PeerDied if the space has to be recovered first
     * @throws io.numabufferpool.pool.PoolException.Stuck if a writer takes too long, after a bounded wait
     */
    public PinnedBuffer pinShared(PoolSpace space, long block) throws IOException {
        return pin(space, block, true);
    }

    private PinnedBuffer pin(PoolSpace space, long block, boolean shared) throws IOException {
        long loadsBefore = loadCount;
        long handle = pinHandle(space, block);
        boolean done = false;
        try {
            if (shared) {
                slot.session.lockShared(handle);
            }
            done = true;
        } finally {
            if (!done) {
                slot.session.unpin(handle);
            }
        }
        return new PinnedBuffer(this, slot.session, handle, space.blockBytes(block), loadCount != loadsBefore, shared);
    }

    private long pinHandle(PoolSpace space, long block) throws IOException {
        begin(space);
        space.requireBlock(block);
        loadingSpace = space;
        try {
            for (int attempt = 1; ; attempt++) {
                int number = nextNumber(space);
                try {
                    long handle = slot.session.pin(number, block, loader);
                    requireWhole(space, handle);
                    return handle;
                } catch (OpenFile.ContentChanged e) {
                    giveUpAfter(attempt, e);
                }
            }
        } finally {
            loadingSpace = null;
            Reference.reachabilityFence(this);
        }
    }

    /** After the look-up: a death in between shows. {@code handles} are given back if it does. */
    private void requireWhole(PoolSpace space, long... handles) {
        if (!(space instanceof WritablePoolSpace writable) || recovering == writable) {
            return;
        }
        boolean whole = false;
        try {
            writable.file().space().requireWhole();
            whole = true;
        } finally {
            if (!whole) {
                slot.session.unpinAll(handles, handles.length);
            }
        }
    }

    /**
     * Pins a block to change it; nobody else reads it under a lock or changes it until it is closed. Waits for those who do.
     *
     * @throws io.numabufferpool.pool.PoolException.PeerDied if the space has to be recovered first
     * @throws io.numabufferpool.pool.PoolException.Stuck if another session takes too long, after a bounded wait
     */
    public WritableBuffer pinForWriting(WritablePoolSpace space, long block) throws IOException {
        long handle = pinHandle(space, block);
        boolean done = false;
        try {
            slot.session.lockExclusive(handle);
            done = true;
        } finally {
            if (!done) {
                slot.session.unpin(handle);
            }
        }
        return new WritableBuffer(this, slot.session, space, handle, space.blockBytes(block));
    }

    /**
     * Writes all dirty pages of a space to its file, whoever changed them. For the disk as well: {@link WritablePoolSpace#force} after it.
     *
     * @return how many were written
     * @throws IOException if one cannot be written; it is dirty still
     */
    public int flush(WritablePoolSpace space) throws IOException {
        begin(space);
        try {
            if (recovering != space) {
                space.file().space().requireWhole();
            }
            return slot.session.flushSpace(space.number(), space.file()::write);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Makes a space whole after {@link io.numabufferpool.pool.PoolException.PeerDied}, for all that have it open. Pages that the dead
     * client had half changed, or changed without its log, get the file's content; then {@code recovery} does what the application
     * knows, with this session. Waits while another client recovers.
     *
     * @return false if there was nothing to recover, any more
     * @throws IOException if a page cannot be read, or what {@code recovery} threw: the space has to be recovered still
     */
    public boolean recover(WritablePoolSpace space, SpaceRecovery recovery) throws IOException {
        begin(space);
        var shared = space.file().space();
        long epoch = shared.beginRecovery(RECOVERY_WAIT_NANOS);
        if (epoch < 0) {
            return false;
        }
        boolean recovered = false;
        try {
            recovering = space;
            loadingSpace = space;
            loadingNumber = space.number();
            int reloaded =
                    slot.session.reloadUnlogged(space.number(), space.file().durablePosition(), loader);
            loadingSpace = null;
            recovery.recover(reloaded);
            recovered = true;
        } finally {
            recovering = null;
            loadingSpace = null;
            shared.endRecovery(epoch, recovered);
            Reference.reachabilityFence(this);
        }
        return true;
    }

    /**
     * Pins many blocks of a space at once: as {@link #pin} for each, but look-ups overlap, so that each costs a fraction of one.
     *
     * @return a buffer for each block, in order; close every one
     * @throws IOException as for {@link #pin}; then nothing stays pinned
     */
    public List<PinnedBuffer> pinAll(PoolSpace space, long... blocks) throws IOException {
        begin(space);
        for (long block : blocks) {
            space.requireBlock(block);
        }
        loadingSpace = space;
        long loadsBefore = loadCount;
        var handles = new long[blocks.length];
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    slot.session.pinAll(nextNumber(space), blocks, handles, loader);
                    requireWhole(space, handles);
                    break;
                } catch (OpenFile.ContentChanged e) {
                    giveUpAfter(attempt, e);
                }
            }
        } finally {
            loadingSpace = null;
            Reference.reachabilityFence(this);
        }
        var pinned = new ArrayList<PinnedBuffer>(blocks.length);
        for (int i = 0; i < blocks.length; i++) {
            int bytes = space.blockBytes(blocks[i]);
            pinned.add(new PinnedBuffer(this, slot.session, handles[i], bytes, loadCount != loadsBefore, false));
        }
        return pinned;
    }

    /**
     * Copies a block; pins nothing afterwards.
     *
     * @return bytes copied: the block's, or as many as {@code target} has room for
     * @throws SpaceChanged if the file was replaced or has another length
     * @throws IOException if the file cannot be read
     */
    public int read(PoolSpace space, long block, MemorySegment target) throws IOException {
        begin(space);
        space.requireBlock(block);
        loadingSpace = space;
        int bytes = (int) Math.min(space.blockBytes(block), target.byteSize());
        var destination = target.asSlice(0, bytes);
        try {
            for (int attempt = 1; ; attempt++) {
                int number = nextNumber(space);
                try {
                    slot.session.read(number, block, 0, destination, loader);
                    requireWhole(space);
                    return bytes;
                } catch (OpenFile.ContentChanged e) {
                    giveUpAfter(attempt, e);
                }
            }
        } finally {
            loadingSpace = null;
            Reference.reachabilityFence(this);
        }
    }

    /** The same into an array. */
    public int read(PoolSpace space, long block, byte[] target) throws IOException {
        return read(space, block, MemorySegment.ofArray(target));
    }

    /**
     * The eight bytes of a block at {@code offsetBytes}, aligned or not, in the machine's byte order: the cheapest look at a page. Pins
     * nothing afterwards, allocates nothing on a hit.
     *
     * @throws IndexOutOfBoundsException if they are not inside the block; a file's last block may be shorter than the others
     * @throws SpaceChanged if the file was replaced or has another length
     * @throws IOException if the file cannot be read
     */
    public long peek(PoolSpace space, long block, long offsetBytes) throws IOException {
        begin(space);
        space.requireBlock(block);
        Objects.checkFromIndexSize(offsetBytes, Long.BYTES, space.blockBytes(block));
        loadingSpace = space;
        try {
            for (int attempt = 1; ; attempt++) {
                int number = nextNumber(space);
                try {
                    long bytes = slot.session.peek(number, block, offsetBytes, loader);
                    requireWhole(space);
                    return bytes;
                } catch (OpenFile.ContentChanged e) {
                    giveUpAfter(attempt, e);
                }
            }
        } finally {
            loadingSpace = null;
            Reference.reachabilityFence(this);
        }
    }

    private void begin(PoolSpace space) {
        client.requireOpen();
        if (slot.closedByOwner) {
            throw new IllegalStateException("This session is closed.");
        }
        if (!space.isOf(client)) {
            throw new IllegalArgumentException("The space " + space.path() + " was opened by another client.");
        }
    }

    private int nextNumber(PoolSpace space) throws SpaceChanged {
        loadingNumber = space.number();
        return loadingNumber;
    }

    private static void giveUpAfter(int attempt, OpenFile.ContentChanged e) throws SpaceChanged {
        if (attempt >= CONTENT_ATTEMPTS_MAX) {
            throw new SpaceChanged(
                    e.getMessage() + ", " + CONTENT_ATTEMPTS_MAX + " times in a row. Read it when it is written less.");
        }
    }

    private void load(MemorySegment target, long block) throws IOException {
        var space = loadingSpace;
        if (space == null) {
            throw new IllegalStateException("block " + block + " loaded outside of a pin");
        }
        loadCount++;
        space.load(target, block, loadingNumber);
    }

    /** Gives the slot back. Close pinned buffers first: an IllegalStateException says if some were left; the slot comes back all the same. */
    @Override
    public void close() {
        slot.closedByOwner = true;
        cleanable.clean();
    }
}
