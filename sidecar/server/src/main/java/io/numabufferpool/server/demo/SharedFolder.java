package io.numabufferpool.server.demo;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A folder in shared memory that is gone when the demo ends, also by Ctrl-C, together with the process that serves from it. */
final class SharedFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SharedFolder.class.getName());

    private final Path path;
    private final AtomicReference<@Nullable NumapoolProcess> server = new AtomicReference<>();

    SharedFolder(String name) {
        this.path = Path.of("/dev/shm", name);
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "numapool-demo-end"));
    }

    Path path() {
        return path;
    }

    /** Kills this process too when the demo is cut short. */
    void alsoEnds(NumapoolProcess process) {
        server.set(process);
    }

    /** The second time it does nothing. */
    @Override
    public synchronized void close() {
        var process = server.get();
        if (process != null) {
            process.close();
        }
        if (!Files.exists(path)) {
            return;
        }
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "folder not removed path={0} reason={1}", path, e);
        }
    }
}
