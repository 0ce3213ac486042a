package io.numabufferpool.crds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * One file of {@code validation/}. {@code valid-*} is accepted. {@code invalid-*} breaks rules, whose sentences stand in the
 * text file beside it; {@code malformed-*} is no spec at all by its schema, with the API server's words beside it.
 *
 * @param name without ending
 * @param yaml the resource
 * @param sentences what is expected, one a line; none of a valid one
 */
record ValidationFixture(String name, String yaml, List<String> sentences) {
    static Path folder() {
        try {
            return Path.of(Objects.requireNonNull(ValidationFixture.class.getResource("/validation"))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
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
