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
public sealed class PoolSpace implements AutoCloseable permits WritablePoolSpace {
    private final PoolClient client;
    private final SpaceContent content;
    private final int bufferBytes;
    private final Cleaner.Cleanable cleanable;

    /** {@code closing}: what remains to do when nobody uses it any more; must not refer to this. */
    PoolSpace(PoolClient client, SpaceContent content, int bufferBytes, Cleaner cleaner, Runnable closing) {
        this.client = client;
        this.content = content;
        this.bufferBytes = bufferBytes;
        this.cleanable = cleaner.register(this, closing);
    }

    /** As it was opened. */
    public Path path() {
        return content.path();
    }

    /** Length of the file in bytes. */
    public long bytes() {
        return content.bytes();
    }

    /** Blocks, the last one perhaps partial; 0 for an empty file. */
    public long blockCount() {
        return Math.ceilDiv(content.bytes(), bufferBytes);
    }

    /** Bytes of a block: the pool's buffer size, fewer for a partial last one. */
    public int blockBytes(long block) {
        requireBlock(block);
        return (int) Math.min(bufferBytes, content.bytes() - block * bufferBytes);
    }

    /**
     * Looks at the file now instead of within a fraction of a second.
     *
     * @throws SpaceChanged if it was replaced or has another length
     */
    public void checkUnchanged() throws IOException {
        content.checkUnchanged();
    }

    void requireBlock(long block) {
        if (block < 0 || (block >= blockCount() && block >= Math.ceilDiv(content.refreshBytes(), bufferBytes))) {
            throw new IndexOutOfBoundsException("block " + block + " of " + content.path() + ", which has "
                    + blockCount() + " blocks of " + bufferBytes + " bytes");
        }
    }

    boolean isOf(PoolClient other) {
        return client == other;
    }

    int number() throws SpaceChanged {
        return content.number();
    }

    void load(MemorySegment target, long block, int space) throws IOException {
        content.load(target, block, space);
    }

    /** Closes the file. Its pages stay in the pool for others. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
