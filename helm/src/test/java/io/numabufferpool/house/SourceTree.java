package io.numabufferpool.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The project's own files, as they lie in the working tree. */
final class SourceTree {
    private SourceTree() {}

    /** The folder of the parent pom. Surefire runs in the module's folder, which is one below it. */
    static Path root() {
        return Path.of("").toAbsolutePath().getParent();
    }

    /** Every folder that has a pom, the root's first. */
    static List<Path> modules() {
        return filesMatching("pom.xml").stream().map(Path::getParent).toList();
    }

    /** Every Java source file of the product and of its tests. */
    static List<Path> javaFiles() {
        return filesMatching(".java");
    }

    static List<Path> filesMatching(String nameEnd) {
        try (Stream<Path> files = Files.walk(root())) {
            return files.filter(file -> file.getFileName().toString().endsWith(nameEnd))
                    .filter(SourceTree::isSource)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSource(Path file) {
        for (var part : root().relativize(file)) {
            if (part.toString().equals("target") || part.toString().equals(".git")) {
                return false;
            }
        }
        return true;
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String shown(Path file) {
        return root().relativize(file).toString();
    }
}
