package io.numabufferpool.server.config;

import io.numabufferpool.placement.ByteCount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the folders of a pool that is served without Kubernetes. /dev/shm is everybody's, so a folder that is there already
 * must be this user's and writable for nobody else: else another user could swap files under the program.
 */
public final class ServeFolders {
    /** Clients of other users reach the socket through it. */
    private static final String OPEN = "rwxr-xr-x";

    /** Nobody but the sidecar opens the segment's files by name. */
    private static final String CLOSED = "rwx------";

    private final int uid;
    private final Path mounts;

    public ServeFolders(int uid) {
        this(uid, Path.of("/proc/self/mounts"));
    }

    ServeFolders(int uid, Path mounts) {
        this.uid = uid;
        this.mounts = mounts;
    }

    /** Makes them; with reserved huge pages the buffers file goes to a mounted hugetlbfs of that page size. */
    public PoolFolders prepare(PoolFolders folders, String poolName, long reservedPageBytes) {
        make(parent(folders.segment()), OPEN);
        make(folders.segment(), CLOSED);
        make(folders.attach(), OPEN);
        if (reservedPageBytes == 0) {
            return folders;
        }
        var hugePages = hugetlbfs(reservedPageBytes).resolve("numapool-" + uid + "-" + poolName);
        make(hugePages, CLOSED);
        return new PoolFolders(folders.segment(), hugePages, folders.attach(), folders.credentials());
    }

    private static Path parent(Path folder) {
        var parent = folder.getParent();
        return parent == null ? Path.of("/") : parent;
    }

    private void make(Path folder, String permissions) {
        try {
            try {
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
            } catch (FileAlreadyExistsException known) {
                check(folder);
            }
        } catch (NoSuchFileException withoutParent) {
            throw new InvalidSettings("The folder " + folder + " cannot be made, because " + folder.getParent()
                    + " does not exist. Use --dir with a folder whose parent exists.");
        } catch (IOException failed) {
            throw new InvalidSettings("The folder " + folder + " cannot be made: " + failed
                    + ". Use --dir with a folder that you may make.");
        }
    }

    private void check(Path folder) throws IOException {
        var owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        var mode = (Integer) Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        boolean ours = Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Integer.valueOf(uid).equals(owner)
                && (mode & 0022) == 0;
        if (!ours) {
            throw new InvalidSettings("The folder " + folder + " is not one that this program made: it belongs to uid "
                    + owner + " and has mode " + Integer.toOctalString(mode & 0777)
                    + "; it must belong to uid " + uid + " and be writable for nobody else. Remove it, or use --dir.");
        }
    }

    private Path hugetlbfs(long pageBytes) {
        var others = new ArrayList<String>();
        for (var line : mountLines()) {
            var fields = List.of(line.split(" ", -1));
            if (fields.size() < 4 || !fields.get(2).equals("hugetlbfs")) {
                continue;
            }
            var options = List.of(fields.get(3).split(",", -1));
            var size = "pagesize=" + (pageBytes >> 20) + "M";
            var sizeInGiB = "pagesize=" + (pageBytes >> 30) + "G";
            if (options.contains(size) || options.contains(sizeInGiB)) {
                return Path.of(fields.get(1));
            }
            others.add(fields.get(1));
        }
        throw new InvalidSettings("spec.hugePages.mode Reserved needs a mounted hugetlbfs with pages of "
                + ByteCount.render(pageBytes) + "; mounted are "
                + (others.isEmpty() ? "none" : "others: " + String.join(", ", others))
                + ". Mount one, for example: mount -t hugetlbfs -o pagesize=" + (pageBytes >> 20)
                + "M none /dev/hugepages.");
    }

    private List<String> mountLines() {
        try {
            return Files.readAllLines(mounts, StandardCharsets.ISO_8859_1);
        } catch (IOException failed) {
            throw new InvalidSettings("Reading " + mounts + " failed: " + failed + ".");
        }
    }
}
