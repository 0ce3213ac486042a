package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.server.config.InvalidSettings;
import io.numabufferpool.server.config.PoolFile;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.log.Log;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Newer generations of the pool: from the operator's answers, or from the file that {@code serve -f} was given. Thread-safe. */
final class SpecUpdates {
    /** {@code generation} of {@code spec}. */
    record Update(long generation, NumaBufferPoolSpec spec) {}

    private final Optional<Path> file;
    private final Log log;
    private final AtomicReference<Optional<Update>> offered = new AtomicReference<>(Optional.empty());
    private Optional<FileTime> read;
    private long generation;

    SpecUpdates(ServeSettings settings, Log log) {
        this.file = settings.poolFile();
        this.generation = settings.pool().generation();
        this.log = log;
        this.read = file.flatMap(SpecUpdates::writtenAt);
    }

    /** An answer of the operator. */
    void answered(PlacementAnswer answer) {
        var now = answer.pool();
        if (now != null) {
            offered.set(Optional.of(new Update(now.generation(), now.spec())));
        }
    }

    /** The newest generation that nobody has been given yet. */
    synchronized Optional<Update> next() {
        var newest = offered.getAndSet(Optional.empty())
                .filter(update -> update.generation() > generation)
                .or(this::readFile);
        newest.ifPresent(update -> generation = update.generation());
        return newest;
    }

    private Optional<Update> readFile() {
        var written = file.flatMap(SpecUpdates::writtenAt);
        if (written.isEmpty() || written.equals(read)) {
            return Optional.empty();
        }
        read = written;
        try {
            return file.map(
                    path -> new Update(generation + 1, PoolFile.read(path).spec()));
        } catch (InvalidSettings wrong) {
            log.warn("the pool's file is not followed", "reason", wrong.getMessage());
            return Optional.empty();
        }
    }

    /** Empty while an editor replaces it. */
    private static Optional<FileTime> writtenAt(Path path) {
        try {
            return Files.exists(path) ? Optional.of(Files.getLastModifiedTime(path)) : Optional.empty();
        } catch (IOException failed) {
            throw new UncheckedIOException("looking at " + path, failed);
        }
    }
}
