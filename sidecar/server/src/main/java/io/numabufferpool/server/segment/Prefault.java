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
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
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
        var run = new Run(windows, method, whenFull, pages);
        run.bindRanges();
        threads.runOn(run.threadsOfNode(), run::populateNode);
        return run.shortages();
    }

    /** Whether the pages come from hugetlb pools, which never call the OOM killer. */
    enum HugeTlb {
        YES,
        NO
    }

    /** What one window has on one node: a shortage is told of that. */
    private static final class Part {
        final Window window;
        final int numaNode;
        final AtomicLong missingBytes = new AtomicLong();
        /** The kernel's first refusal; two threads that are refused at once are refused for the same reason. */
        volatile Errno refused = Errno.OK;

        Part(Window window, int numaNode) {
            this.window = window;
            this.numaNode = numaNode;
        }
    }

    private record Chunk(Part part, MemorySegment memory) {}

    /** The chunks of one node; its threads take one after the other. */
    private static final class NodeWork {
        final List<Chunk> chunks = new ArrayList<>();
        final AtomicInteger next = new AtomicInteger();
    }

    private final class Run {
        private final List<Part> parts = new ArrayList<>();
        private final SortedMap<Integer, NodeWork> nodes = new TreeMap<>();
        private final PlacementMethod method;
        private final WhenFull whenFull;
        private final HugeTlb pages;
        private final AtomicLong doneBytes = new AtomicLong();
        private final long totalBytes;

        Run(List<Window> windows, PlacementMethod method, WhenFull whenFull, HugeTlb pages) {
            this.method = method;
            this.whenFull = whenFull;
            this.pages = pages;
            this.totalBytes =
                    windows.stream().mapToLong(window -> window.range().bytes()).sum();
            windows.forEach(this::split);
        }

        private void split(Window window) {
            var partOfNode = new HashMap<Integer, Part>();
            for (var stripe : window.range().stripes()) {
                int numaNode = stripe.numaNode();
                var part = partOfNode.computeIfAbsent(numaNode, node -> new Part(window, node));
                part.missingBytes.addAndGet(stripe.bytes());
                var chunks = nodes.computeIfAbsent(numaNode, node -> new NodeWork()).chunks;
                var memory = window.memory(stripe);
                for (long offset = 0; offset < stripe.bytes(); offset += CHUNK_BYTES) {
                    long length = Math.min(CHUNK_BYTES, stripe.bytes() - offset);
                    chunks.add(new Chunk(part, memory.asSlice(offset, length)));
                }
            }
            parts.addAll(partOfNode.values());
        }

        SortedMap<Integer, Integer> threadsOfNode() {
            var counts = new TreeMap<Integer, Integer>();
            nodes.forEach((numaNode, work) ->
                    counts.put(numaNode, Math.clamp(work.chunks.size(), 1, threads.cpuCount(numaNode))));
            return counts;
        }

        /** A policy of the mapping, before any thread touches it; none where it would outweigh that of the thread. */
        void bindRanges() {
            for (var part : parts) {
                var range = part.window.range();
                if (bindsTo(part.numaNode) && range.striped()) {
                    forgetPolicy(part);
                } else if (bindsTo(part.numaNode)) {
                    var numaNodes = NumaNodeSet.of(part.numaNode);
                    requireOk(
                            "mbind",
                            part,
                            linux.bindMemory(part.window.memory(), policy(), numaNodes, MemoryMove.LEAVE));
                }
            }
        }

        /**
         * An earlier placement of these bytes may have left a policy with the file, which outweighs that of the thread. The
         * kernel compares a new policy with the mapping's own, not with the file's, and does nothing where they are equal
         * (mm/mempolicy.c, mbind_range): so a fresh mapping first gets one that is to be taken away.
         */
        private void forgetPolicy(Part part) {
            var memory = part.window.memory();
            var some = NumaNodeSet.of(part.numaNode);
            requireOk("mbind", part, linux.bindMemory(memory, MemoryPolicy.PREFERRED, some, MemoryMove.LEAVE));
            requireOk(
                    "mbind",
                    part,
                    linux.bindMemory(memory, MemoryPolicy.DEFAULT, NumaNodeSet.empty(), MemoryMove.LEAVE));
        }

        private boolean bindsTo(int numaNode) {
            return method == PlacementMethod.Mbind && numaNode != PlacedRange.ANYWHERE;
        }

        private MemoryPolicy policy() {
            return whenFull == WhenFull.REFUSE ? MemoryPolicy.BIND : MemoryPolicy.PREFERRED;
        }

        private static void requireOk(String call, Part part, Errno errno) {
            if (!errno.ok()) {
                var range = part.window.range();
                throw new MethodRefused(call + " of " + range.name() + " (" + range.bytes() + " bytes) to NUMA node "
                        + part.numaNode + " failed: " + errno);
            }
        }

        /** One thread's share of the node's chunks. */
        void populateNode(int numaNode) {
            var work = Objects.requireNonNull(nodes.get(numaNode));
            boolean policySet = false;
            for (int i = work.next.getAndIncrement(); i < work.chunks.size(); i = work.next.getAndIncrement()) {
                stop.check();
                var chunk = work.chunks.get(i);
                if (bindsTo(numaNode) && chunk.part.window.range().striped() && !policySet) {
                    requireOk("set_mempolicy", chunk.part, linux.setTaskPolicy(policy(), NumaNodeSet.of(numaNode)));
                    policySet = true;
                }
                populate(chunk);
            }
        }

        private void populate(Chunk chunk) {
            var part = chunk.part;
            if (!part.refused.ok()) {
                return;
            }
            long bytes = chunk.memory.byteSize();
            var errno = populateChunk(chunk.memory, part.numaNode);
            if (errno.ok()) {
                part.missingBytes.addAndGet(-bytes);
                progress.advanced("prefault", doneBytes.addAndGet(bytes), totalBytes);
            } else {
                part.refused = errno;
            }
        }

        List<Shortage> shortages() {
            return parts.stream()
                    .filter(part -> !part.refused.ok())
                    .map(part ->
                            new Shortage(part.window.range(), part.numaNode, part.missingBytes.get(), part.refused))
                    .toList();
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

        /**
         * Every thread of the node may be about to take a chunk, as far as there are any left. Pages that are there already are
         * counted as if they were still needed: too careful by a chunk a thread.
         */
        private boolean lacksRoom(MemorySegment chunk, int numaNode) {
            var available = nodeMemory.availableBytes(numaNode);
            if (available.isEmpty()) {
                return false;
            }
            long leftBytes = parts.stream()
                    .filter(part -> part.numaNode == numaNode)
                    .mapToLong(part -> part.missingBytes.get())
                    .sum();
            long atOnceBytes = chunk.byteSize() * threads.cpuCount(numaNode);
            return available.getAsLong() < Math.min(leftBytes, atOnceBytes);
        }
    }
}
