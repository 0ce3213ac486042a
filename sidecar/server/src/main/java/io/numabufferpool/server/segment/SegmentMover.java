package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.pool.BufferRetirement;
import io.numabufferpool.pool.BufferRetirement.Remaining;
import io.numabufferpool.server.segment.MoveChunks.Chunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a segment that is in use lie as a decision says, and have as many buffers: chunk by chunk, each taken out of service,
 * freed, populated where it belongs, counted, and put back. What lies right already is left alone, so it can be called again
 * after it was interrupted anywhere. For one thread.
 */
public final class SegmentMover {
    /** How long a chunk waits for pins before it is tried page by page, and a page before the next one is tried. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final Duration PAUSE = Duration.ofMillis(2);

    /** Runs while nobody counts the segment's pages: a count would give a frame to what was just freed. */
    public interface Exclusively {
        void run(Runnable work);
    }

    /** Hears of every piece. */
    public interface Listener {
        void moved(long doneBytes, long totalBytes, Optional<String> waitsFor);
    }

    /**
     * How far it came.
     *
     * @param movedBytes bytes that got new frames
     * @param leftBytes bytes that could not be moved yet
     * @param waitsFor who is in the way, for the first of them
     */
    public record Moved(long movedBytes, long leftBytes, Optional<String> waitsFor) {
        /** Whether everything lies as decided. */
        public boolean done() {
            return leftBytes == 0;
        }
    }

    private final Linux linux;
    private final SegmentPlacer placer;
    private final Map<SegmentFile, LinuxFile> files;
    private final PlacementRequest request;
    private final Exclusively exclusively;
    private final StopSignal stop;

    public SegmentMover(
            Linux linux,
            SegmentPlacer placer,
            Map<SegmentFile, LinuxFile> files,
            PlacementRequest request,
            Exclusively exclusively,
            StopSignal stop) {
        this.linux = linux;
        this.placer = placer;
        this.files = Map.copyOf(files);
        this.request = request;
        this.exclusively = exclusively;
        this.stop = stop;
    }

    /**
     * Moves what does not lie as {@code to} says.
     *
     * @param from the same partitions with the buffers that are populated now
     * @param descriptors pages of the control file for buffers that {@code to} adds
     * @throws PlacementFailed where a node has no room; what was tried last serves again, wherever it could be put
     */
    public Moved move(
            BufferRetirement retirement,
            PlacementDecision from,
            PlacementDecision to,
            List<PlacedRange> descriptors,
            Listener listener) {
        var run = new Run(retirement, to, listener);
        run.shrink();
        populateNew(descriptors, to.method());
        run.moveAll(misplaced(MoveChunks.of(shrunk(from, to), to, request.bufferBytes(), request.hugePageBytes())));
        run.announce();
        return run.result();
    }

    /** What stays populated of {@code from}. */
    private static PlacementDecision shrunk(PlacementDecision from, PlacementDecision to) {
        var partitions = new ArrayList<PartitionPlan>();
        for (int i = 0; i < from.partitions().size(); i++) {
            var plan = from.partitions().get(i);
            partitions.add(new PartitionPlan(
                    plan.partition(),
                    plan.numaNode(),
                    plan.offsetBytes(),
                    Math.min(plan.bufferCount(), to.partitions().get(i).bufferCount()),
                    plan.bufferCapacity()));
        }
        return new PlacementDecision(
                from.policy(), from.method(), from.numaNodes(), from.shares(), partitions, from.dropped(), from.why());
    }

    private void populateNew(List<PlacedRange> descriptors, PlacementMethod method) {
        if (!descriptors.isEmpty()) {
            exclusively.run(() -> place(descriptors, method, Enforcement.BestEffort));
        }
    }

    private void place(List<PlacedRange> ranges, PlacementMethod method, Enforcement enforcement) {
        try (var windows = WindowSet.map(linux, ranges, files, request.hugePageBytes())) {
            placer.place(windows, method, enforcement);
        }
    }

    /** Those that are not where they belong, or not there at all. */
    private List<Chunk> misplaced(List<Chunk> chunks) {
        var populated = chunks.stream().filter(Chunk::populated).toList();
        var counted = new ArrayList<RangePlacement>();
        exclusively.run(() ->
                counted.addAll(placer.count(populated.stream().map(Chunk::range).toList(), files)));
        var right = new HashSet<PlacedRange>();
        counted.stream().filter(RangePlacement::asWanted).forEach(placed -> right.add(placed.range()));
        return chunks.stream()
                .filter(chunk -> !(chunk.populated() && right.contains(chunk.range())))
                .toList();
    }

    private final class Run {
        private final BufferRetirement retirement;
        private final PlacementDecision to;
        private final Listener listener;
        private long totalBytes;
        private long movedBytes;
        private long leftBytes;
        private Optional<String> waitsFor = Optional.empty();

        Run(BufferRetirement retirement, PlacementDecision to, Listener listener) {
            this.retirement = retirement;
            this.to = to;
            this.listener = listener;
        }

        /** Clock hands keep off what goes first; then it is emptied and freed. */
        void shrink() {
            for (var plan : to.partitions()) {
                if (retirement.bufferCount(plan.partition()) > plan.bufferCount()) {
                    retirement.resize(plan.partition(), plan.bufferCount());
                }
            }
            for (var plan : to.partitions()) {
                long had = retirement.descriptorCount(plan.partition());
                long begin = plan.offsetBytes() + plan.bufferCount() * request.bufferBytes();
                long bytes = (had - plan.bufferCount()) * request.bufferBytes();
                if (bytes <= 0) {
                    continue;
                }
                var tail = PlacedRange.anywhere(
                        SegmentFile.BUFFERS,
                        "buffers " + plan.bufferCount() + " and up of partition " + plan.partition(),
                        begin,
                        bytes);
                freeTail(tail);
            }
        }

        /** Page by page where somebody is in the way: the rest of the memory goes back all the same. */
        private void freeTail(PlacedRange tail) {
            if (emptied(tail)) {
                exclusively.run(() -> punch(tail));
                return;
            }
            for (var page : MoveChunks.pages(tail, request.hugePageBytes())) {
                stop.check();
                if (emptied(page)) {
                    exclusively.run(() -> punch(page));
                } else {
                    leftBytes += page.bytes();
                }
            }
        }

        void moveAll(List<Chunk> chunks) {
            totalBytes =
                    chunks.stream().mapToLong(chunk -> chunk.range().bytes()).sum();
            for (var chunk : chunks) {
                stop.check();
                if (!moveOne(chunk.range())) {
                    movePages(chunk.range());
                }
                listener.moved(movedBytes, totalBytes, waitsFor);
            }
            restoreRest();
        }

        /** A page that is pinned for long keeps only itself back. */
        private void movePages(PlacedRange chunk) {
            for (var page : MoveChunks.pages(chunk, request.hugePageBytes())) {
                stop.check();
                if (!moveOne(page)) {
                    leftBytes += page.bytes();
                }
            }
        }

        private boolean moveOne(PlacedRange range) {
            if (!emptied(range)) {
                restore(range);
                return false;
            }
            exclusively.run(() -> replace(range));
            movedBytes += range.bytes();
            restore(range);
            return true;
        }

        /** New frames; where the node has none, any, so that the pool keeps its size. */
        private void replace(PlacedRange range) {
            punch(range);
            try {
                place(List.of(range), to.method(), request.enforcement());
            } catch (PlacementFailed failed) {
                punch(range);
                place(List.of(range.anywhere()), PlacementMethod.None, Enforcement.BestEffort);
                restore(range);
                throw failed;
            }
        }

        /** True: no session can reach a byte of it any more. */
        private boolean emptied(PlacedRange range) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            var buffers = MoveChunks.buffers(to, range, request.bufferBytes());
            while (true) {
                var left = retire(buffers);
                if (left.none()) {
                    break;
                }
                if (System.nanoTime() - deadline >= 0) {
                    waitsFor = Optional.of(range.name() + " waits for " + holder(left));
                    return false;
                }
                stop.pause(PAUSE);
            }
            long epoch = retirement.advanceEpoch();
            int reader = retirement.findReaderBefore(epoch);
            while (reader != BufferRetirement.NOBODY) {
                if (System.nanoTime() - deadline >= 0) {
                    waitsFor = Optional.of(
                            range.name() + " waits for client " + reader + ", which is in the middle of a read");
                    return false;
                }
                stop.pause(PAUSE);
                reader = retirement.findReaderBefore(epoch);
            }
            return true;
        }

        private Remaining retire(List<MoveChunks.Buffers> buffers) {
            var total = new Remaining(0, BufferRetirement.NOBODY, BufferRetirement.NOBODY);
            for (var part : buffers) {
                long to = Math.min(part.toIndex(), retirement.descriptorCount(part.partition()));
                if (part.fromIndex() >= to) {
                    continue;
                }
                var left = retirement.retire(part.partition(), part.fromIndex(), to);
                boolean named = total.slot() != BufferRetirement.NOBODY;
                total = new Remaining(
                        total.buffers() + left.buffers(),
                        named ? total.clientNumber() : left.clientNumber(),
                        named ? total.slot() : left.slot());
            }
            return total;
        }

        private String holder(Remaining left) {
            return left.slot() == BufferRetirement.NOBODY
                    ? left.buffers() + " buffers that are being loaded or written"
                    : "slot " + left.slot() + " of client " + left.clientNumber() + ", which has " + left.buffers()
                            + " of its pages pinned";
        }

        private void punch(PlacedRange range) {
            var file = files.get(range.file());
            if (file == null) {
                throw new IllegalStateException("no " + range.file() + " file");
            }
            var errno = linux.punchHole(file, range.offsetBytes(), range.bytes());
            if (!errno.ok()) {
                throw new LinuxException(
                        "fallocate(PUNCH_HOLE) of " + range.bytes() + " bytes at " + range.offsetBytes() + " of "
                                + file.name(),
                        errno.number());
            }
        }

        private void restore(PlacedRange range) {
            for (var part : MoveChunks.buffers(to, range, request.bufferBytes())) {
                long count = to.partitions().get(part.partition()).bufferCount();
                long end = Math.min(part.toIndex(), count);
                if (part.fromIndex() < end) {
                    retirement.restore(part.partition(), part.fromIndex(), end);
                }
            }
        }

        /** What an earlier process had taken out of service and placed, but not put back. */
        private void restoreRest() {
            for (var plan : to.partitions()) {
                retirement.restore(plan.partition(), 0, plan.bufferCount());
            }
        }

        /** Nodes and new buffers, for sessions. */
        void announce() {
            for (var plan : to.partitions()) {
                retirement.moveTo(plan.partition(), plan.numaNode());
                if (retirement.bufferCount(plan.partition()) < plan.bufferCount()) {
                    retirement.resize(plan.partition(), plan.bufferCount());
                }
            }
        }

        Moved result() {
            return new Moved(movedBytes, leftBytes, waitsFor);
        }
    }
}
