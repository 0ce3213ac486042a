package io.numabufferpool.server.config;

import java.nio.file.Path;

/**
 * Where a pool's files lie.
 *
 * @param segment control file, and the buffers file unless its pages are reserved ones: on tmpfs
 * @param hugePages the buffers file where its pages are reserved ones: on hugetlbfs
 * @param attach socket and lock file, seen by clients
 * @param credentials token and CA for the operator
 */
public record PoolFolders(Path segment, Path hugePages, Path attach, Path credentials) {
    /** The mounts of an injected sidecar. */
    public static final PoolFolders IN_POD = new PoolFolders(
            Path.of("/segment"),
            Path.of("/hugepages"),
            Path.of("/run/numa-buffer-pool"),
            Path.of("/var/run/secrets/numabufferpool.io"));

    /** tmpfs on every Linux, writable for every user. */
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** Of a pool that is served without Kubernetes: all below one folder. */
    public static PoolFolders outsidePod(Path folder) {
        return new PoolFolders(
                folder.resolve("segment"),
                folder.resolve("hugepages"),
                folder.resolve("attach"),
                folder.resolve("credentials"));
    }

    /** {@code /dev/shm/numapool-UID-POOL}. */
    public static Path defaultFolder(int uid, String pool) {
        return SHARED_MEMORY.resolve("numapool-" + uid + "-" + pool);
    }
}
