package io.numabufferpool.server.adopt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * libnumapool_adopt.so, unpacked into a folder of its own, beside a folder for its reports. Closing deletes both.
 *
 * <p>A program may change its user after it has started (a database that drops root): so others may load the library and write
 * reports, but only those who were told the folder's name can find it, and nobody can list it or replace another's report.
 */
public final class AdoptLibrary implements AutoCloseable {
    private static final String NAME = "libnumapool_adopt.so";

    /** In this order: the first that exists, can be written, and lets programs be loaded from it. */
    private static final List<String> PLACES = List.of("/tmp", "/var/tmp", "/dev/shm", "/run");

    private final Path folder;

    private AdoptLibrary(Path folder) {
        this.folder = folder;
    }

    /** There is no library, or no place for it. */
    public static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;

        Unavailable(String message) {
            super(message);
        }
    }

    /** Unpacks the library that was packed into this program. */
    public static AdoptLibrary unpack() throws Unavailable {
        var resource = "/numapool-adopt/" + System.getProperty("os.arch") + "/" + NAME;
        try (var bytes = AdoptLibrary.class.getResourceAsStream(resource)) {
            if (bytes == null) {
                throw new Unavailable("this numapool.jar has no " + NAME + " for " + System.getProperty("os.arch")
                        + ": it was built on a machine without a C compiler, or of another architecture. Install gcc or"
                        + " clang and build it again, or name a library by --library.");
            }
            var library = new AdoptLibrary(makeFolder());
            Files.copy(bytes, library.file());
            Files.setPosixFilePermissions(library.file(), PosixFilePermissions.fromString("r-xr-xr-x"));
            return library;
        } catch (IOException e) {
            throw new Unavailable(NAME + " cannot be unpacked: " + e + ". Name an unpacked one by --library.");
        }
    }

    /** Copies a library that somebody has built. */
    public static AdoptLibrary copy(Path library) throws Unavailable {
        try {
            var copy = new AdoptLibrary(makeFolder());
            Files.copy(library, copy.file());
            Files.setPosixFilePermissions(copy.file(), PosixFilePermissions.fromString("r-xr-xr-x"));
            return copy;
        } catch (IOException e) {
            throw new Unavailable("--library " + library + " cannot be read: " + e + ".");
        }
    }

    private static Path makeFolder() throws IOException, Unavailable {
        var mounts = Files.readAllLines(Path.of("/proc/self/mounts"));
        for (var place : PLACES) {
            var path = Path.of(place);
            if (Files.isWritable(path) && !mountedWithoutExecution(path, mounts)) {
                var folder = Files.createTempDirectory(path, "numapool-run-");
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
                var reports = Files.createDirectory(folder.resolve("reports"));
                // Sticky, as /tmp: a program's report is that program's.
                Files.setAttribute(reports, "unix:mode", 0_1733);
                return folder;
            }
        }
        throw new Unavailable(
                "none of " + PLACES + " can be written and lets programs be loaded (mount option noexec), so there"
                        + " is no place for " + NAME + ". Mount one without noexec.");
    }

    /** The mount that holds the path is the last one whose point is the longest prefix. */
    static boolean mountedWithoutExecution(Path path, List<String> mounts) {
        Optional<String[]> holder = mounts.stream()
                .map(line -> line.split(" ", -1))
                .filter(words -> words.length > 3 && path.startsWith(Path.of(words[1])))
                .max(Comparator.comparingInt(words -> words[1].length()));
        return holder.isPresent() && List.of(holder.get()[3].split(",", -1)).contains("noexec");
    }

    /** The library's own file. */
    public Path file() {
        return folder.resolve(NAME);
    }

    /** Where reports go. */
    public Path reports() {
        return folder.resolve("reports");
    }

    @Override
    public void close() {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException left) {
            System.err.println("numapool run: " + folder + " could not be deleted: " + left);
        }
    }
}
