package io.numabufferpool.crds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One file of {@code validation/}. {@code valid-*} is accepted. {@code invalid-*} breaks rules, whose sentences stand in the
 * text file beside it; {@code late-*} breaks one that the API server cannot check; {@code malformed-*} is no spec at all by its schema, with the API server's words beside it.
 *
 * @param name without ending
 * @param yaml the resource
 * @param sentences what is expected, one a line; none of a valid one
 */
record ValidationFixture(String name, String yaml, List<String> sentences) {
    /** In the sources: a copy among the compiled classes keeps what was deleted here. */
    static Path folder() {
        return Path.of(System.getProperty("numapool.root"), "crds/src/test/resources", "validation");
    }

    static List<ValidationFixture> all(String kind) {
        try (var files = Files.list(folder())) {
            return files.filter(file -> file.getFileName().toString().matches(kind + "-.*\\.yaml"))
                    .sorted()
                    .map(ValidationFixture::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ValidationFixture read(Path file) {
        var name = file.getFileName().toString().replace(".yaml", "");
        var beside = file.resolveSibling(name + ".txt");
        try {
            var sentences = Files.exists(beside) ? Files.readAllLines(beside) : List.<String>of();
            return new ValidationFixture(name, Files.readString(file), sentences);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
