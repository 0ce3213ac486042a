package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Fixture folders of this module, and the expected files in them, which a flag writes anew. */
final class Golden {
    private static final String REFRESH = "numapool.render";

    private Golden() {}

    /** The folders below {@code src/test/resources/NAME}, one a case. */
    static List<Path> cases(String name) {
        try (Stream<Path> folders = Files.list(Path.of("src/test/resources", name))) {
            return folders.filter(Files::isDirectory).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compares with the file, or writes it where {@code -Dnumapool.render=true} was given. */
    static void assertSame(Path file, String actual) {
        if (Boolean.getBoolean(REFRESH)) {
            write(file, actual);
        }

        assertThat(actual)
                .as(
                        "%s; to refresh it: ./mvnw -q verify -pl helm -am -Dnumapool.render=true (injection: also -Papiserver)",
                        file)
                .isEqualTo(Files.exists(file) ? read(file) : "");
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
