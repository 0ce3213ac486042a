package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A machine as a tree of small text files under {@code sysfs/} of the test resources: {@code sys/} as sysfs shows it,
 * {@code proc/} as proc does. Works from a folder and from the test-jar.
 */
public record SysfsShape(Path folder) {
    private static final Set<String> OPEN = new HashSet<>();

    /** The shape of that name, such as {@code two-sockets}. */
    public static SysfsShape named(String shape) {
        var url = SysfsShape.class.getResource("/sysfs/" + shape);
        if (url == null) {
            throw new IllegalArgumentException("There is no folder sysfs/" + shape + " in the test resources");
        }
        try {
            var uri = url.toURI();
            if (uri.getScheme().equals("jar")) {
                openJar(uri);
            }
            return new SysfsShape(Path.of(uri));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(url + " is no URI", e);
        }
    }

    /** The test-jar as a file system; it stays open for as long as the tests run. */
    private static synchronized void openJar(URI uri) {
        try {
            if (OPEN.add(uri.toString().split("!", 2)[0])) {
                FileSystems.newFileSystem(uri, Map.of());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("opening " + uri, e);
        }
    }

    public NumaTopologyReader topology() {
        return new NumaTopologyReader(folder.resolve("sys"), folder.resolve("proc"));
    }

    /** No group with a limit. */
    public CgroupReader cgroups() {
        return new CgroupReader(folder.resolve("proc"));
    }
}
