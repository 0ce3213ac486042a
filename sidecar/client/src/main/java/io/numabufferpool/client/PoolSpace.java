package io.numabufferpool.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.file.Path;

/**
 * A file whose blocks the pool holds, opened by {@link PoolClient#openFile}. Blocks are as large as the pool's buffers; the last one
 * ends with the file. Thread-safe; usable with every session of its client.
 *
 * <p>The pool knows the content by device, inode, inode generation, length and times. A file that is rewritten in place is read anew;
 * one that is replaced or changes its length is refused with {@link SpaceChanged}, on a miss at once and otherwise within a fraction
 * of a second.
 */
public final class PoolSpace implements AutoCloseable {
    private final PoolClient client;
    private final OpenFile file;
    private final int bufferBytes;
    private final long blockCount;
    private final Cleaner.Cleanable cleanable;

    PoolSpace(PoolClient client, OpenFile file, int bufferBytes, Cleaner cleaner, FileWatch watch) {
        this.client = client;
        this.file = file;
        this.bufferBytes = bufferBytes;
        this.blockCount = Math.ceilDiv(file.bytes(), bufferBytes);
        this.cleanable = cleaner.register(this, () -> watch.remove(file));
    }

    /** As it was opened. */
    public Path path() {
        return file.path();
    }

    /** Length of the file in bytes. */
    public long bytes() {
        return file.bytes();
    }

    /** Blocks, the last one perhaps partial; 0 for an empty file. */
    public long blockCount() {
        return blockCount;
    }

    /** Bytes of a block: the pool's buffer size, fewer for a partial last one. */
    public int blockBytes(long block) {
        requireBlock(block);
        return (int) Math.min(bufferBytes, file.bytes() - block * bufferBytes);
    }

    /**
     * Looks at the file now instead of within a fraction of a second.
     *
     * @throws SpaceChanged if it was replaced or has another length
     */
    public void checkUnchanged() throws IOException {
        file.checkPath();
    }

    void requireBlock(long block) {
        if (block < 0 || block >= blockCount) {
            throw new IndexOutOfBoundsException("block " + block + " of " + file.path() + ", which has " + blockCount
                    + " blocks of " + bufferBytes + " bytes");
        }
    }

    boolean isOf(PoolClient other) {
        return client == other;
    }

    int number() throws SpaceChanged {
        return file.space();
    }

    void load(MemorySegment target, long block, int space) throws IOException {
        file.load(target, block, space);
    }

    /** Closes the file. Its pages stay in the pool for others. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
