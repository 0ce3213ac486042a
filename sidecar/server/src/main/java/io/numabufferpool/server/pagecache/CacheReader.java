package io.numabufferpool.server.pagecache;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.FileStatus;
import io.numabufferpool.linux.FileSystemStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.PageCache;
import io.numabufferpool.linux.Protection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Counts the page cache of one file by NUMA node, without reading anything in. Thread-safe. */
public final class CacheReader {
    /* A window of the file is mapped; mincore(2) tells which pages are in memory; only those are put into the page table
     * (MADV_POPULATE_READ, with read-ahead off), and numa_maps then counts what the page table holds. An ordinary user may do all of
     * this. move_pages(2) would tell as much, but every default seccomp profile refuses it. A page that is evicted between the two
     * looks is read in again: one page, not its neighbours. */

    /** Its page table costs 2 MiB while we look, and one look at numa_maps serves that much. */
    static final long WINDOW_BYTES = 1L << 30;

    /** CAP_FOWNER in CapEff of /proc/self/status: counts as owner of every file. */
    private static final int CAP_FOWNER = 3;

    private final Linux linux;
    private final PageCache pageCache = new PageCache();

    public CacheReader(Linux linux) {
        this.linux = linux;
    }

    /** It cannot be said what of the file is in memory; the message names the file. */
    public static final class Unknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unknown(String message) {
            super(message);
        }
    }

    /**
     * Looks at the whole file.
     *
     * @param looked told the bytes of each window when it has been counted
     * @throws Unknown with a sentence, where the kernel does not tell
     * @throws LinuxException where the file cannot be opened or mapped
     */
    public CachedFile read(Path path, LongConsumer looked) {
        try (var file = open(path)) {
            var status = linux.status(file);
            requireKnowable(path, status);
            long cachedBytes = 0;
            var ofNode = new TreeMap<Integer, Long>();
            for (long offset = 0; offset < status.bytes(); offset += WINDOW_BYTES) {
                long bytes = Math.min(WINDOW_BYTES, status.bytes() - offset);
                try (var window = linux.map(file, offset, bytes, Protection.READ, pageCache.pageBytes())) {
                    var resident = pageCache.resident(window.memory());
                    cachedBytes += resident.cardinality() * pageCache.pageBytes();
                    count(path, window, resident, ofNode);
                }
                looked.accept(bytes);
            }
            return new CachedFile(path.toString(), status.bytes(), cachedBytes, ofNode);
        }
    }

    /** The bytes of the file that are in memory, in whole pages. */
    public long residentBytes(LinuxFile file, long fileBytes) {
        long pages = 0;
        for (long offset = 0; offset < fileBytes; offset += WINDOW_BYTES) {
            long bytes = Math.min(WINDOW_BYTES, fileBytes - offset);
            try (var window = linux.map(file, offset, bytes, Protection.READ, pageCache.pageBytes())) {
                pages += pageCache.resident(window.memory()).cardinality();
            }
        }
        return pages * pageCache.pageBytes();
    }

    /** Opens the file for reading, with what to do where that is refused. */
    LinuxFile open(Path path) {
        try {
            return linux.open(path, OpenMode.READ_ONLY, 0);
        } catch (LinuxException refused) {
            if (refused.errno() == Errno.EACCES || refused.errno() == Errno.EPERM) {
                throw new Unknown(refused.getMessage() + ". Run as a user who may read it.");
            }
            throw new Unknown(refused.getMessage() + ".");
        }
    }

    private void count(Path path, Mapping window, BitSet resident, Map<Integer, Long> ofNode) {
        if (resident.isEmpty()) {
            return;
        }
        var memory = window.memory();
        pageCache.withoutReadAhead(memory); // refused or not, only resident pages are asked for
        // Each round takes a run of resident pages, of which a window has a limited number.
        for (int first = resident.nextSetBit(0); first >= 0; ) {
            int end = resident.nextClearBit(first);
            long offset = first * pageCache.pageBytes();
            long bytes = Math.min((end - first) * pageCache.pageBytes(), memory.byteSize() - offset);
            // EFAULT: the file became shorter meanwhile. What is not in the page table is counted as unplaced.
            if (linux.advise(memory.asSlice(offset, bytes), Advice.POPULATE_READ) == Errno.EINVAL) {
                throw new Unknown("madvise(MADV_POPULATE_READ) of " + path
                        + " failed: EINVAL. It exists since Linux 5.14; " + "this is " + linux.kernelRelease()
                        + ", which does not tell NUMA nodes without reading the file.");
            }
            first = resident.nextSetBit(end);
        }
        for (var line : linux.numaMaps(memory)) {
            line.pages().keySet().forEach(numaNode -> ofNode.merge(numaNode, line.bytesOn(numaNode), Long::sum));
        }
    }

    private void requireKnowable(Path path, FileStatus status) {
        if (status.kind() != FileStatus.Kind.REGULAR) {
            throw new Unknown(path + " is not a regular file: only those have a page cache of their own.");
        }
        if (linux.fileSystem(path).kind() == FileSystemStatus.Kind.HUGETLBFS) {
            throw new Unknown(path
                    + " lies on hugetlbfs: its pages are reserved huge pages, no page cache. /proc/PID/numa_maps of"
                    + " a process that maps it tells where they are.");
        }
        boolean told = status.uid() == linux.processStatus().uid() || Files.isWritable(path) || ownsEveryFile();
        if (!told) {
            throw new Unknown(path + " belongs to uid " + status.uid()
                    + ": the kernel tells what of a file is in memory only to its owner and to those who may write it."
                    + " Run as that user or as root.");
        }
    }

    private static boolean ownsEveryFile() {
        try (var lines = Files.lines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
            Optional<String> effective =
                    lines.filter(line -> line.startsWith("CapEff:")).findFirst();
            return effective
                    .map(line -> Long.parseUnsignedLong(
                            line.substring(line.indexOf(':') + 1).strip(), 16))
                    .map(capabilities -> (capabilities >>> CAP_FOWNER & 1) == 1)
                    .orElse(false);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("reading /proc/self/status", unreadable);
        }
    }
}
