package io.numabufferpool.client;

import io.numabufferpool.pool.BlockLoader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
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

    private final PoolClient client;
    private final Slot slot;
    private final Cleaner.Cleanable cleanable;
    private final BlockLoader loader = this::load;
    private @Nullable PoolSpace loadingSpace;
    private int loadingNumber;
    private long loadCount;

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
        begin(space, block);
        long loadsBefore = loadCount;
        try {
            for (int attempt = 1; ; attempt++) {
                int number = nextNumber(space);
                try {
                    long handle = slot.session.pin(number, block, loader);
                    return new PinnedBuffer(
                            this, slot.session, handle, space.blockBytes(block), loadCount != loadsBefore);
                } catch (OpenFile.ContentChanged e) {
                    giveUpAfter(attempt, e);
                }
            }
        } finally {
            loadingSpace = null;
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Pins many blocks of a space at once: as {@link #pin} for each, but look-ups overlap, so that each costs a fraction of one.
     *
     * @return a buffer for each block, in order; close every one
     * @throws IOException as for {@link #pin}; then nothing stays pinned
     */
    public List<PinnedBuffer> pinAll(PoolSpace space, long... blocks) throws IOException {
        begin(space, 0);
        for (long block : blocks) {
            space.requireBlock(block);
        }
        long loadsBefore = loadCount;
        var handles = new long[blocks.length];
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    slot.session.pinAll(nextNumber(space), blocks, handles, loader);
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
            pinned.add(new PinnedBuffer(this, slot.session, handles[i], bytes, loadCount != loadsBefore));
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
        begin(space, block);
        int bytes = (int) Math.min(space.blockBytes(block), target.byteSize());
        var destination = target.asSlice(0, bytes);
        try {
            for (int attempt = 1; ; attempt++) {
                int number = nextNumber(space);
                try {
                    slot.session.read(number, block, 0, destination, loader);
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

    private void begin(PoolSpace space, long block) {
        client.requireOpen();
        if (slot.closedByOwner) {
            throw new IllegalStateException("This session is closed.");
        }
        if (!space.isOf(client)) {
            throw new IllegalArgumentException("The space " + space.path() + " was opened by another client.");
        }
        space.requireBlock(block);
        loadingSpace = space;
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
