package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Small files of sysfs, proc and cgroupfs. A message about their content names the file and what it has. */
final class KernelFile {
    private KernelFile() {}

    /** The text without white space around it, or empty where there is no such file. */
    static Optional<String> find(Path path) {
        try {
            return Optional.of(
                    Files.readString(path, StandardCharsets.ISO_8859_1).strip());
        } catch (NoSuchFileException | NotDirectoryException absent) {
            return Optional.empty();
        } catch (IOException e) {
            if (!Files.exists(path)) {
                return Optional.empty(); // gone between open and read: a CPU or a node was taken offline
            }
            throw new UncheckedIOException("reading " + path, e);
        }
    }

    /** As {@link #find}, parsed; a text that cannot be parsed is an IllegalStateException that shows it. */
    static <T> Optional<T> find(Path path, Function<String, T> parse) {
        return find(path).map(text -> {
            try {
                return parse.apply(text);
            } catch (IllegalArgumentException malformed) {
                throw new IllegalStateException(
                        path + " has \"" + text + "\", which cannot be read: " + malformed.getMessage(), malformed);
            }
        });
    }

    /** The number in the file, 0 where there is no such file. */
    static long number(Path path) {
        return find(path, Long::parseLong).orElse(0L);
    }

    static List<String> lines(Path path) {
        return find(path).map(text -> text.lines().toList()).orElse(List.of());
    }

    /** The entries of a folder, sorted by name; none where there is no such folder. */
    static List<Path> list(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException gone) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("listing " + folder, e);
        }
    }
}
