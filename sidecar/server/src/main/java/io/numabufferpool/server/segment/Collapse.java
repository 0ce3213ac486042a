package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Turns populated 4 KiB pages of a tmpfs file into real 2 MiB pages: {@code MADV_COLLAPSE} (Linux 6.1), whatever the THP
 * settings say. The kernel takes the node that holds most of the 512 pages, so it is called when all of them are in place.
 */
final class Collapse {
    /** The size that the kernel collapses into on x86-64 and on arm64 with 4 KiB pages. */
    static final long HUGE_PAGE_BYTES = 2L << 20;

    /** EAGAIN and EBUSY come from pages that are locked or isolated at this moment, ENOMEM from fragmentation that compaction mends. */
    private static final int ROUNDS_MAX = 4;

    private static final Duration ROUND_PAUSE = Duration.ofMillis(50);

    /** After so many failures in a row in one round the node has no huge page to give: do not ask for every one. */
    private static final int FAILURES_IN_A_ROW_MAX = 64;

    private final Linux linux;
    private final NodeThreads threads;
    private final StopSignal stop;
    private final Progress progress;

    Collapse(Linux linux, NodeThreads threads, StopSignal stop, Progress progress) {
        this.linux = linux;
        this.threads = threads;
        this.stop = stop;
        this.progress = progress;
    }

    /** Collapses what can be; how much that is, smaps tells afterwards. Returns the last error, OK where there was none. */
    Errno collapse(List<Window> windows) {
        var piecesOfNode = new TreeMap<Integer, List<MemorySegment>>();
        long totalBytes = 0;
        for (var window : windows) {
            if (!congruent(window)) {
                continue;
            }
            for (var stripe : window.range().stripes()) {
                var pieces = piecesOfNode.computeIfAbsent(stripe.numaNode(), node -> new ArrayList<>());
                addPieces(window.memory(stripe), pieces);
            }
        }
        for (var pieces : piecesOfNode.values()) {
            totalBytes += pieces.size() * HUGE_PAGE_BYTES;
        }
        var doneBytes = new AtomicLong();
        long total = totalBytes;
        var errors = threads.run(
                piecesOfNode.keySet(),
                node -> collapseAll(piecesOfNode.getOrDefault(node, List.of()), doneBytes, total));
        return errors.values().stream().filter(errno -> !errno.ok()).findFirst().orElse(Errno.OK);
    }

    /** The kernel answers EINVAL where address and file offset differ within a huge page: parts of the control file. */
    private static boolean congruent(Window window) {
        return (window.memory().address() - window.range().offsetBytes()) % HUGE_PAGE_BYTES == 0;
    }

    private static void addPieces(MemorySegment memory, List<MemorySegment> pieces) {
        long first = -memory.address() & (HUGE_PAGE_BYTES - 1);
        for (long offset = first; offset + HUGE_PAGE_BYTES <= memory.byteSize(); offset += HUGE_PAGE_BYTES) {
            pieces.add(memory.asSlice(offset, HUGE_PAGE_BYTES));
        }
    }

    private Errno collapseAll(List<MemorySegment> pieces, AtomicLong doneBytes, long totalBytes) {
        var left = pieces;
        var last = Errno.OK;
        for (int round = 0; round < ROUNDS_MAX && !left.isEmpty(); round++) {
            if (round > 0) {
                stop.pause(ROUND_PAUSE);
            }
            var failed = new ArrayList<MemorySegment>();
            last = Errno.OK;
            int inARow = 0;
            for (var piece : left) {
                stop.check();
                var errno = inARow < FAILURES_IN_A_ROW_MAX ? linux.advise(piece, Advice.COLLAPSE) : last;
                if (errno == Errno.EINVAL || errno == Errno.ENOSYS) {
                    return errno;
                }
                if (errno.ok()) {
                    inARow = 0;
                    progress.advanced("collapse", doneBytes.addAndGet(HUGE_PAGE_BYTES), totalBytes);
                } else {
                    inARow++;
                    last = errno;
                    failed.add(piece);
                }
            }
            left = failed;
        }
        return left.isEmpty() ? Errno.OK : last;
    }
}
