package io.numabufferpool.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** Short-lived native arguments of one call: each call makes its own and closes it, so no two threads share any. */
final class NativeScratch implements AutoCloseable {
    /** The encoding in which the JVM itself turned file names into text, so that any name comes back as the bytes it was. */
    private static final Charset FILE_NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private static final long LONGEST_ALIGNMENT = 16;

    private final Arena arena = Arena.ofConfined();

    /** Zeroed memory. */
    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, LONGEST_ALIGNMENT);
    }

    /** The path as a C string. */
    MemorySegment path(Path path) {
        return bytes(encoded(path), 1);
    }

    /** The bytes of a file name, without the zero. */
    static byte[] encoded(Path path) {
        return path.toString().getBytes(FILE_NAMES);
    }

    /** A copy of these bytes, with zeros behind them. */
    MemorySegment bytes(byte[] bytes, long zeros) {
        var memory = allocate(bytes.length + zeros);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return memory;
    }

    /** A bit mask of words of 64 bits, as the affinity and memory policy calls read them. */
    MemorySegment mask(long[] words) {
        var memory = allocate((long) words.length * Long.BYTES);
        MemorySegment.copy(words, 0, memory, ValueLayout.JAVA_LONG, 0, words.length);
        return memory;
    }

    @Override
    public void close() {
        arena.close();
    }
}
