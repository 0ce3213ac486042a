package io.numabufferpool.server.pagecache;

import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.FileSystemStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.PageCache;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.server.pagecache.CacheReport.Spread;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * Reads a file again, chunk by chunk from the NUMA nodes in turn, so that its page cache lies evenly on them: the kernel takes a page of
 * the cache from the node of the CPU that reads. Thread-safe.
 */
public final class CacheSpread {
    /** Small enough that a small file is spread too, large enough for one sequential request to the device. */
    static final long CHUNK_BYTES = 2L << 20;

    private final Linux linux;
    private final CacheReader reader;
    private final PageCache pageCache = new PageCache();
    private final SortedMap<Integer, CpuSet> cpusOfNode;

    /** {@code cpusOfNode}: CPUs that this process may use, of each NUMA node whose memory it may use; none is empty. */
    public CacheSpread(Linux linux, SortedMap<Integer, CpuSet> cpusOfNode) {
        if (cpusOfNode.isEmpty()) {
            throw new IllegalArgumentException("spreading needs one NUMA node or more");
        }
        this.linux = linux;
        this.reader = new CacheReader(linux);
        this.cpusOfNode = new TreeMap<>(cpusOfNode);
    }

    /**
     * Writes back what is dirty, drops the file's cache, and reads it again.
     *
     * @param read told the bytes of each chunk when it has been read, by several threads
     * @throws CacheReader.Unknown with a sentence, where the file is not of a kind that can be spread
     */
    public Spread spread(Path path, LongConsumer read) {
        if (linux.fileSystem(path).kind() != FileSystemStatus.Kind.OTHER) {
            throw new CacheReader.Unknown(
                    path + " lies in memory only (tmpfs or hugetlbfs): its pages cannot be dropped and read"
                            + " again. Copy it under numactl --interleave, or let a pool hold it.");
        }
        writeBack(path);
        long bytes;
        long keptBytes;
        try (var file = reader.open(path)) {
            bytes = linux.status(file).bytes();
            var errno = pageCache.drop(file);
            if (!errno.ok()) {
                throw new CacheReader.Unknown("posix_fadvise(POSIX_FADV_DONTNEED) of " + path + " failed: " + errno
                        + ". Its file system keeps no page cache.");
            }
            keptBytes = reader.residentBytes(file, bytes);
        }
        var readBytes = readInTurn(path, bytes, read);
        return new Spread(path.toString(), readBytes, keptBytes);
    }

    /** A dirty page cannot be dropped. fdatasync(2) works on a descriptor that is open for reading only. */
    private static void writeBack(Path path) {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(false);
        } catch (IOException failed) {
            throw new CacheReader.Unknown(
                    "writing back " + path + " failed: " + failed.getMessage() + ". It is left as it was.");
        }
    }

    private long readInTurn(Path path, long fileBytes, LongConsumer read) {
        var failure = new AtomicReference<RuntimeException>();
        var readBytes = new AtomicLong();
        var threads = new ArrayList<Thread>();
        var numaNodes = List.copyOf(cpusOfNode.keySet());
        for (int turn = 0; turn < numaNodes.size(); turn++) {
            int numaNode = numaNodes.get(turn);
            long first = turn * CHUNK_BYTES;
            threads.add(Thread.ofPlatform().name("numa-node-" + numaNode).start(() -> {
                try {
                    bind(numaNode);
                    readChunks(path, first, numaNodes.size() * CHUNK_BYTES, fileBytes, bytes -> {
                        readBytes.addAndGet(bytes);
                        read.accept(bytes);
                    });
                } catch (RuntimeException thrown) {
                    failure.compareAndSet(null, thrown);
                }
            }));
        }
        joinAll(threads);
        var thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
        return readBytes.get();
    }

    private void bind(int numaNode) {
        var cpus = cpusOfNode.getOrDefault(numaNode, CpuSet.empty());
        var errno = linux.setAffinity(cpus);
        if (!errno.ok()) {
            throw new CacheReader.Unknown(
                    "sched_setaffinity to the CPUs " + cpus + " of NUMA node " + numaNode + " failed: "
                            + errno
                            + (errno == Errno.EINVAL
                                    ? ". The allowed CPUs changed; try again."
                                    : ". Look at the seccomp profile."));
        }
    }

    /** Every chunk from {@code first} on in steps; the file's length limits them. */
    private void readChunks(Path path, long first, long step, long fileBytes, LongConsumer read) {
        try (var file = reader.open(path);
                var arena = Arena.ofConfined()) {
            pageCache.withoutReadAhead(file); // read-ahead would bring in the next node's chunk from this node
            var buffer = arena.allocate(CHUNK_BYTES);
            for (long offset = first; offset < fileBytes; offset += step) {
                long wanted = Math.min(CHUNK_BYTES, fileBytes - offset);
                long done = readChunk(file, buffer, offset, wanted);
                read.accept(done);
                if (done < wanted) {
                    return; // the file became shorter
                }
            }
        }
    }

    /** pread(2) may return less than asked for; each round gets a byte or more, or ends. */
    private long readChunk(LinuxFile file, MemorySegment buffer, long offset, long wanted) {
        long done = 0;
        while (done < wanted) {
            long got = linux.read(file, buffer.asSlice(done, wanted - done), offset + done);
            if (got == 0) {
                break;
            }
            done += got;
        }
        return done;
    }

    /** The work itself is bounded by the file's length. */
    private static void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (var thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
