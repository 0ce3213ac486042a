package io.numabufferpool.server.attach;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A file in which every word says where it is and which edition of the file it belongs to. */
public final class TestFile {
    private static final int BLOCK_BYTES = ServedPool.BUFFER_BYTES;

    private TestFile() {}

    /** Writes so many bytes; the last block may be partial. */
    public static Path write(Path path, int bytes, int edition) throws IOException {
        var content = ByteBuffer.allocate(Math.ceilDiv(bytes, Long.BYTES) * Long.BYTES);
        while (content.hasRemaining()) {
            content.putLong(word(content.position(), edition));
        }
        return Files.write(path, Arrays.copyOf(content.array(), bytes));
    }

    public static Path writeBlocks(Path path, int blocks, int edition) throws IOException {
        return write(path, blocks * BLOCK_BYTES, edition);
    }

    private static long word(long offset, int edition) {
        return (offset + 1) * 0x9E3779B97F4A7C15L ^ edition;
    }

    /** True if every whole word of a block is the right one. */
    public static boolean holds(MemorySegment block, long index, int edition) {
        var layout = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        for (long at = 0; at + Long.BYTES <= block.byteSize(); at += Long.BYTES) {
            if (block.get(layout, at) != word(index * BLOCK_BYTES + at, edition)) {
                return false;
            }
        }
        return true;
    }
}
