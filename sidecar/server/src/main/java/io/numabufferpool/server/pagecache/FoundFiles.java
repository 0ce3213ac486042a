package io.numabufferpool.server.pagecache;

import io.numabufferpool.server.pagecache.CacheReport.Problem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The regular files behind the names on a command line: a folder stands for all below it. A symbolic link is followed where it was
 * named, not inside a folder, so links cannot lead in circles; a file with several names counts once. Not thread-safe.
 */
public final class FoundFiles {
    /** A path and a length for each are kept in memory: some 200 MB. Nobody reads more lines than that. */
    static final int FILES_MAX = 1_000_000;

    private final List<Found> files = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();
    private final Set<Object> seen = new HashSet<>();
    private final int filesMax;
    private long skippedLinks;

    /** A regular file, and its length when it was found. */
    public record Found(Path path, long bytes) {}

    private FoundFiles(int filesMax) {
        this.filesMax = filesMax;
    }

    /** What is there now. */
    public static FoundFiles below(List<Path> names) {
        return below(names, FILES_MAX);
    }

    static FoundFiles below(List<Path> names, int filesMax) {
        var found = new FoundFiles(filesMax);
        names.forEach(found::add);
        return found;
    }

    public List<Found> files() {
        return List.copyOf(files);
    }

    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    public long skippedLinks() {
        return skippedLinks;
    }

    private void add(Path name) {
        try {
            var attributes = Files.readAttributes(name, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                Files.walkFileTree(name.toRealPath(), new Walk());
            } else if (attributes.isRegularFile()) {
                addFile(name, attributes);
            } else {
                problem(name, "is neither a regular file nor a folder: only those have a page cache of their own");
            }
        } catch (IOException failed) {
            problem(name, sentence(failed));
        }
    }

    private boolean addFile(Path path, BasicFileAttributes attributes) {
        var key = attributes.fileKey();
        if (key != null && !seen.add(key)) {
            return true;
        }
        if (files.size() >= filesMax) {
            problem(path, "and what follows is left out: more than " + filesMax + " files. Name fewer folders");
            return false;
        }
        files.add(new Found(path, attributes.size()));
        return true;
    }

    private void problem(Path path, String sentence) {
        problems.add(new Problem(path.toString(), path + " " + sentence + "."));
    }

    private static String sentence(IOException failed) {
        return switch (failed) {
            case NoSuchFileException _ -> "does not exist, or is a link to a file that does not";
            case AccessDeniedException _ ->
                "may not be looked at by this user (EACCES): run as its owner or as root, or grant read permission";
            case FileSystemException other
            when other.getReason() != null ->
                "cannot be looked at: " + other.getReason()
                        + (String.valueOf(other.getReason()).contains("symbolic links")
                                ? ". Its links lead in a circle; name the file itself"
                                : "");
            default -> "cannot be looked at: " + failed.getMessage();
        };
    }

    private final class Walk extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            if (attributes.isSymbolicLink()) {
                skippedLinks++;
            }
            boolean more = !attributes.isRegularFile() || addFile(path, attributes);
            return more ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path path, IOException failed) {
            problem(path, sentence(failed));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failed) {
            if (failed != null) {
                problem(folder, sentence(failed));
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
