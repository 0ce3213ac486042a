package io.numabufferpool.server.check;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the blocks of a file are, by plain reads that know nothing of the pool. Thread-safe.
 *
 * <p>The digests of a file of up to {@link #TABLE_BLOCKS_MAX} blocks are computed once; blocks of a larger one are read again for each
 * comparison, so that memory does not grow with the file.
 */
final class FileDigests implements AutoCloseable {
    /** 16 MiB of digests: 4 GiB of 8 KiB blocks. */
    static final int TABLE_BLOCKS_MAX = 1 << 19;

    static final int DIGEST_BYTES = 32;

    private final FileChannel channel;
    private final int blockBytes;
    private final byte @Nullable [] table;

    private FileDigests(FileChannel channel, int blockBytes, byte @Nullable [] table) {
        this.channel = channel;
        this.blockBytes = blockBytes;
        this.table = table;
    }

    /** Reads the whole file, unless it is too large for a table. */
    static FileDigests of(Path file, int blockBytes, long blockCount) throws IOException {
        return of(file, blockBytes, blockCount, TABLE_BLOCKS_MAX);
    }

    static FileDigests of(Path file, int blockBytes, long blockCount, int tableBlocksMax) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new FileDigests(
                    channel,
                    blockBytes,
                    blockCount > tableBlocksMax ? null : table(channel, blockBytes, (int) blockCount));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static byte[] table(FileChannel channel, int blockBytes, int blockCount) throws IOException {
        var table = new byte[blockCount * DIGEST_BYTES];
        var block = ByteBuffer.allocate(blockBytes);
        var sha256 = sha256();
        for (int i = 0; i < blockCount; i++) {
            System.arraycopy(digest(channel, block, i, sha256), 0, table, i * DIGEST_BYTES, DIGEST_BYTES);
        }
        return table;
    }

    private static byte[] digest(FileChannel channel, ByteBuffer block, long index, MessageDigest sha256)
            throws IOException {
        block.clear();
        long offset = index * block.capacity();
        for (int read = 0; read >= 0 && block.hasRemaining(); ) {
            read = channel.read(block, offset + block.position());
        }
        sha256.update(block.flip());
        return sha256.digest();
    }

    /** One for each thread. */
    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** True if these bytes are the block's, and no more and no fewer. */
    boolean matches(long block, MemorySegment bytes, MessageDigest sha256) throws IOException {
        sha256.update(bytes.asByteBuffer());
        byte[] seen = sha256.digest();
        if (table != null) {
            int at = (int) block * DIGEST_BYTES;
            return Arrays.equals(seen, 0, DIGEST_BYTES, table, at, at + DIGEST_BYTES);
        }
        return Arrays.equals(seen, digest(channel, ByteBuffer.allocate(blockBytes), block, sha256));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
