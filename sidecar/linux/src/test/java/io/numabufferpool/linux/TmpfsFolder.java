package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A new folder under /dev/shm, deleted with everything in it. */
public final class TmpfsFolder implements AutoCloseable {
    private final Path path;

    public TmpfsFolder() {
        try {
            path = Files.createTempDirectory(Path.of("/dev/shm"), "numapool-test-");
        } catch (IOException e) {
            throw new UncheckedIOException("making a folder under /dev/shm", e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("deleting " + path, e);
        }
    }
}
