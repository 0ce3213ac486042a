package io.numabufferpool.client;

import io.numabufferpool.linux.FileStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.SpaceIdentity;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open file behind a space, with the identity under which the pool knows its content. Thread-safe.
 *
 * <p>Invariant: a page is admitted under a space number only if the file had that number's identity after the page was read. A file
 * that was rewritten in place gets a new number; one that was replaced or changed its length is refused from then on.
 */
final class OpenFile implements SpaceContent {
    /** A file can be replaced between two looks at its path; more often than this it is not an accident. */
    private static final int OPEN_ATTEMPTS_MAX = 8;

    private static final String IDENTITY_OF_A_PATH = "unix:dev,ino";

    private final Linux linux;
    private final BufferPool pool;
    private final Path path;
    private final LinuxFile file;
    private final Map<String, Object> pathIdentity;
    private final long bytes;
    private volatile Registered registered;
    private volatile @Nullable String changed;

    /** What the pool knows: one content of the file, one number. */
    private record Registered(SpaceIdentity identity, int space) {}

    private OpenFile(Linux linux, BufferPool pool, Path path, LinuxFile file, Map<String, Object> pathIdentity) {
        this.linux = linux;
        this.pool = pool;
        this.path = path;
        this.file = file;
        this.pathIdentity = pathIdentity;
        var identity = identity(linux.status(file));
        this.bytes = identity.fileBytes();
        this.registered = new Registered(identity, pool.registerSpace(identity));
    }

    /** Opens a regular file or block device for reading. */
    static OpenFile open(Linux linux, BufferPool pool, Path path) throws IOException {
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            var before = identityOf(path);
            var file = openForReading(linux, path);
            try {
                requireReadable(path, linux.status(file));
                if (before.equals(identityOf(path))) {
                    return new OpenFile(linux, pool, path, file, before);
                }
                file.close();
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
        }
        throw new SpaceChanged(path + " was replaced " + OPEN_ATTEMPTS_MAX + " times while it was opened.");
    }

    private static LinuxFile openForReading(Linux linux, Path path) throws IOException {
        try {
            return linux.open(path, OpenMode.READ_ONLY, 0);
        } catch (LinuxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void requireReadable(Path path, FileStatus status) throws IOException {
        if (status.kind() == FileStatus.Kind.OTHER) {
            throw new IOException(path + " is neither a regular file nor a block device; a space must be one of them.");
        }
    }

    private static Map<String, Object> identityOf(Path path) throws IOException {
        return Files.readAttributes(path, IDENTITY_OF_A_PATH);
    }

    static SpaceIdentity identity(FileStatus status) {
        return new SpaceIdentity(
                status.device(),
                status.inode(),
                status.generation(),
                status.bytes(),
                status.modifiedNanos(),
                status.changedNanos());
    }

    /** The number under which the pool holds the content as it is now. */
    @Override
    public int number() throws SpaceChanged {
        requireUnchanged();
        return registered.space();
    }

    @Override
    public Path path() {
        return path;
    }

    /** Length when it was opened. */
    @Override
    public long bytes() {
        return bytes;
    }

    /** The same: another length is another content. */
    @Override
    public long refreshBytes() {
        return bytes;
    }

    private void requireUnchanged() throws SpaceChanged {
        var why = changed;
        if (why != null) {
            throw new SpaceChanged(why);
        }
    }

    /** The content was rewritten while a block was read under a number of the old content: take the new number and repeat. */
    static final class ContentChanged extends IOException {
        private static final long serialVersionUID = 1L;

        ContentChanged(String message) {
            super(message);
        }
    }

    /**
     * Fills {@code target} with block {@code block} of the content that has the number {@code space}, zero beyond the end of the
     * file.
     */
    @Override
    public void load(MemorySegment target, long block, int space) throws IOException {
        long offset = Math.multiplyExact(block, target.byteSize());
        long wanted = Math.min(target.byteSize(), bytes - offset);
        long done = 0;
        while (done < wanted) {
            long read = read(target.asSlice(done, wanted - done), offset + done);
            if (read == 0) {
                refuse(path + " ended at byte " + (offset + done) + " while block " + block + " was read; it had "
                        + bytes + " bytes when it was opened. Open it again.");
            }
            done += read;
        }
        target.asSlice(done).fill((byte) 0);
        checkContent();
        if (registered.space() != space) {
            throw new ContentChanged(path + " was written while block " + block + " was read");
        }
    }

    private long read(MemorySegment target, long offset) throws IOException {
        try {
            return linux.read(file, target, offset);
        } catch (LinuxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void refuse(String why) throws SpaceChanged {
        changed = why;
        throw new SpaceChanged(why);
    }

    /** Looks at the open file; after a rewrite {@link #number} gives the number of the new content. */
    void checkContent() throws SpaceChanged {
        requireUnchanged();
        var now = identity(linux.status(file));
        if (now.equals(registered.identity())) {
            return;
        }
        if (now.fileBytes() != bytes) {
            refuse(path + " has " + now.fileBytes() + " bytes; it had " + bytes
                    + " when it was opened. Open it again.");
        }
        renumber(now);
    }

    private synchronized void renumber(SpaceIdentity now) {
        if (!now.equals(registered.identity())) {
            registered = new Registered(now, pool.registerSpace(now));
        }
    }

    /** Looks at the path as well: another file may lie there by now. Remembers what it finds for the next reader. */
    @Override
    public void checkUnchanged() throws IOException {
        checkContent();
        try {
            if (!identityOf(path).equals(pathIdentity)) {
                refuse(path + " was replaced by another file after it was opened. Open it again.");
            }
        } catch (NoSuchFileException e) {
            refuse(path + " was removed after it was opened.");
        }
    }

    @Override
    public void abandon() {
        file.close();
    }
}
