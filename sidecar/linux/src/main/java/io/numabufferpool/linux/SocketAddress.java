package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code struct sockaddr_un} of a path. The kernel takes 107 bytes of path and a zero; a longer one is reached through a
 * descriptor of its folder, {@code /proc/self/fd/N/name}.
 */
final class SocketAddress implements AutoCloseable {
    static final int AF_UNIX = 1;
    private static final int PATH_OFFSET = 2;
    private static final int SUN_PATH_BYTES = 108;

    private final NativeScratch scratch;
    private final MemorySegment memory;

    /** Of a long path: keeps the folder open while the address is used. */
    private final Optional<LinuxFile> folder;

    SocketAddress(FileCalls files, Path path) {
        var absolute = path.toAbsolutePath();
        var parent = absolute.getParent();
        var fileName = absolute.getFileName();
        if (parent == null || fileName == null) {
            throw new IllegalArgumentException("A socket needs a file name: " + path);
        }
        boolean fits = NativeScratch.encoded(absolute).length < SUN_PATH_BYTES;
        folder = fits ? Optional.empty() : Optional.of(files.open(parent, OpenMode.READ_ONLY, 0));
        var name = folder.map(
                        open -> Path.of("/proc/self/fd/" + open.descriptor()).resolve(fileName))
                .orElse(absolute);
        if (NativeScratch.encoded(name).length >= SUN_PATH_BYTES) {
            folder.ifPresent(LinuxFile::close);
            throw new LinuxException("naming a Unix socket " + fileName, Errno.ENAMETOOLONG.number());
        }
        scratch = new NativeScratch();
        memory = scratch.allocate(PATH_OFFSET + SUN_PATH_BYTES);
        memory.set(JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(scratch.path(name), 0, memory, PATH_OFFSET, NativeScratch.encoded(name).length);
    }

    long address() {
        return memory.address();
    }

    int bytes() {
        return (int) memory.byteSize();
    }

    @Override
    public void close() {
        folder.ifPresent(LinuxFile::close);
        scratch.close();
    }
}
