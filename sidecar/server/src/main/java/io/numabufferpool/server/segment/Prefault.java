package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.MemoryMove;
import io.numabufferpool.linux.MemoryPolicy;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.PlacementMethod;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives every page of the windows a frame, on its NUMA node as far as the method can, without ever touching one: {@code
 * MADV_POPULATE_WRITE} answers with an error where a touch would be SIGBUS (madvise(2)).
 *
 * <p>A range of one node gets its policy by mbind. A striped one would need a mapping per stripe for that (the kernel allows
 * 65530), so there the thread that populates carries the policy: tmpfs and hugetlbfs ask the task where the file has none.
 */
final class Prefault {
    /** SIGTERM and the progress bar wait for one chunk at most: some 20 ms of zeroing, 0.5 s in an emulated guest. */
    static final long CHUNK_BYTES = 64L << 20;

    /** A signal or a page that is being moved interrupts a chunk; more than this in one chunk is no accident. */
    private static final int CHUNK_TRIES_MAX = 100;

    /** seccomp does not let the method through, although the observation said so. */
    static final class MethodRefused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MethodRefused(String message) {
            super(message);
        }
    }

    /** What happens where a node has no more room. */
    enum WhenFull {
        /** The page is refused: a shortage. */
        REFUSE,
        /** The page goes to another node. */
        SPILL
    }

    private final Linux linux;
    private final NodeThreads threads;
    private final NodeMemory nodeMemory;
    private final StopSignal stop;
    private final Progress progress;

    Prefault(Linux linux, NodeThreads threads, NodeMemory nodeMemory, StopSignal stop, Progress progress) {
        this.linux = linux;
        this.threads = threads;
        this.nodeMemory = nodeMemory;
        this.stop = stop;
        this.progress = progress;
    }

    /** Populates all of them; pages that are there stay where they are. Shortages in no order. */
    List<Shortage> populate(List<Window> windows, PlacementMethod method, WhenFull whenFull, HugeTlb pages) {
        var numaNodes = new TreeSet<Integer>();
        long totalBytes = 0;
        for (var window : windows) {
            window.range().stripes().forEach(stripe -> numaNodes.add(stripe.numaNode()));
            totalBytes += window.range().bytes();
        }
        var run = new Run(windows, method, whenFull, pages, new AtomicLong(), totalBytes);
        var shortages = new ArrayList<Shortage>();
        threads.run(numaNodes, run::populateNode).values().forEach(shortages::addAll);
        return shortages;
    }

    /** Whether the pages come from hugetlb pools, which never call the OOM killer. */
    enum HugeTlb {
        YES,
        NO
    }

    private final class Run {
        private final List<Window> windows;
        private final PlacementMethod method;
        private final WhenFull whenFull;
        private final HugeTlb pages;
        private final AtomicLong doneBytes;
        private final long totalBytes;

        Run(
                List<Window> windows,
                PlacementMethod method,
                WhenFull whenFull,
                HugeTlb pages,
                AtomicLong doneBytes,
                long totalBytes) {
            this.windows = windows;
            this.method = method;
            this.whenFull = whenFull;
            this.pages = pages;
            this.doneBytes = doneBytes;
            this.totalBytes = totalBytes;
        }

        List<Shortage> populateNode(int numaNode) {
            var shortages = new ArrayList<Shortage>();
            for (var window : windows) {
                var stripes = window.range().stripes().stream()
                        .filter(stripe -> stripe.numaNode() == numaNode)
                        .toList();
                if (stripes.isEmpty()) {
                    continue;
                }
                applyPolicy(window, numaNode);
                populateStripes(window, stripes, shortages);
            }
            return shortages;
        }

        private void applyPolicy(Window window, int numaNode) {
            if (method != PlacementMethod.Mbind || numaNode == PlacedRange.ANYWHERE) {
                return;
            }
            var policy = whenFull == WhenFull.REFUSE ? MemoryPolicy.BIND : MemoryPolicy.PREFERRED;
            var range = window.range();
            var errno = range.striped()
                    ? linux.setTaskPolicy(policy, NumaNodeSet.of(numaNode))
                    : linux.bindMemory(window.memory(), policy, NumaNodeSet.of(numaNode), MemoryMove.LEAVE);
            if (!errno.ok()) {
                throw new MethodRefused((range.striped() ? "set_mempolicy" : "mbind") + " of " + range.name() + " ("
                        + range.bytes() + " bytes) to NUMA node " + numaNode + " failed: " + errno);
            }
        }

        private void populateStripes(Window window, List<PlacedRange.Stripe> stripes, List<Shortage> shortages) {
            long missingBytes = 0;
            var reason = Errno.OK;
            for (var stripe : stripes) {
                if (!reason.ok()) {
                    missingBytes += stripe.bytes();
                    continue;
                }
                var memory = window.memory(stripe);
                long offset = 0;
                while (offset < stripe.bytes() && reason.ok()) {
                    stop.check();
                    long length = Math.min(CHUNK_BYTES, stripe.bytes() - offset);
                    reason = populateChunk(memory.asSlice(offset, length), stripe.numaNode());
                    if (reason.ok()) {
                        offset += length;
                        progress.advanced("prefault", doneBytes.addAndGet(length), totalBytes);
                    }
                }
                missingBytes += stripe.bytes() - offset;
            }
            if (!reason.ok()) {
                shortages.add(new Shortage(window.range(), stripes.getFirst().numaNode(), missingBytes, reason));
            }
        }

        private Errno populateChunk(MemorySegment chunk, int numaNode) {
            boolean bound = method == PlacementMethod.Mbind && whenFull == WhenFull.REFUSE && numaNode >= 0;
            if (bound && pages == HugeTlb.NO && lacksRoom(chunk, numaNode)) {
                return Errno.ENOMEM;
            }
            var errno = linux.advise(chunk, Advice.POPULATE_WRITE);
            for (int tries = 1; tries < CHUNK_TRIES_MAX && (errno == Errno.EINTR || errno == Errno.EAGAIN); tries++) {
                stop.check();
                errno = linux.advise(chunk, Advice.POPULATE_WRITE);
            }
            return errno;
        }

        /** Pages of the chunk that are there already are counted as if they were still needed: a chunk too careful. */
        private boolean lacksRoom(MemorySegment chunk, int numaNode) {
            var available = nodeMemory.availableBytes(numaNode);
            return available.isPresent() && available.getAsLong() < chunk.byteSize();
        }
    }
}
