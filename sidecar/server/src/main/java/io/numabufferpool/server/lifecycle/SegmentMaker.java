package io.numabufferpool.server.lifecycle;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.placement.Reachability;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.pool.PoolOptions;
import io.numabufferpool.pool.SegmentFormatter;
import io.numabufferpool.server.config.PoolFolders;
import io.numabufferpool.server.lifecycle.SidecarState.Decision;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.segment.NodeMemory;
import io.numabufferpool.server.segment.PlacementFailed;
import io.numabufferpool.server.segment.PlacementTools;
import io.numabufferpool.server.segment.Progress;
import io.numabufferpool.server.segment.RangePlacement;
import io.numabufferpool.server.segment.SegmentCreator;
import io.numabufferpool.server.segment.SegmentFiles;
import io.numabufferpool.server.segment.SegmentPlace;
import io.numabufferpool.server.segment.SegmentPlacer;
import io.numabufferpool.server.segment.StopSignal;
import io.numabufferpool.server.segment.UnusableSegment;
import io.numabufferpool.server.segment.WindowSet;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Makes a segment by a decision, or takes over the one that an earlier process of this sidecar published. For one thread. */
final class SegmentMaker {
    /** Names the sidecar where it clears what the dead left, and where it takes buffers out of service. Clients have lower ones. */
    private static final int OWN_CLIENT_NUMBER = AttachProtocol.CLIENT_NUMBER_MAX + 1;

    private static final long PAGE_BYTES = 4096;

    private final Linux linux;
    private final NumaBufferPoolSpec spec;
    private final long poolGeneration;
    private final PlacementRequest request;
    private final PoolFolders folders;
    private final SegmentCreator creator;
    private final Progress progress;
    private final StopSignal stop;
    private final Log log;
    private final Clock clock;

    SegmentMaker(
            Linux linux,
            long poolGeneration,
            NumaBufferPoolSpec spec,
            PoolFolders folders,
            Progress progress,
            StopSignal stop,
            Log log,
            Clock clock) {
        this.linux = linux;
        this.poolGeneration = poolGeneration;
        this.spec = spec;
        this.request = PlacementMapping.toRequest(spec);
        this.folders = folders;
        this.creator = new SegmentCreator(linux, folders.segment(), buffersFolder());
        this.progress = progress;
        this.stop = stop;
        this.log = log;
        this.clock = clock;
    }

    /** A segment and how its pages were placed. */
    record Made(LiveSegment segment, Decision decision, SegmentPlacer.Placed placed, SegmentRecord record) {}

    private boolean reserved() {
        return request.hugePageMode() == HugePageMode.Reserved;
    }

    private Path buffersFolder() {
        return reserved() ? folders.hugePages() : folders.segment();
    }

    SegmentCreator creator() {
        return creator;
    }

    /**
     * The segment that an earlier process of this sidecar published, with the decision it was made by; empty where there is
     * none. Clients keep their pins.
     *
     * @throws UnusableSegment where something else lies in its place, or a segment of other settings
     */
    Optional<Made> adopt(Observation observation) {
        var found = creator.findPublished();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var files = found.get();
        try {
            var record = readRecord();
            var plan = plan(observation);
            var layout = layout(plan, record);
            if (files.controlBytes() != layout.controlBytes() || files.buffersBytes() != request.maxSizeBytes()) {
                throw otherSettings("Its files have " + files.controlBytes() + " and " + files.buffersBytes()
                        + " bytes, this pool's have " + layout.controlBytes() + " and " + request.maxSizeBytes()
                        + ", or one of them was truncated.");
            }
            return Optional.of(open(files, plan, record, placer(observation, progress), Optional.empty()));
        } catch (RuntimeException failed) {
            files.close();
            throw failed;
        }
    }

    private SegmentRecord readRecord() {
        var text = creator.readDecision()
                .orElseThrow(() -> new UnusableSegment("The segment in " + folders.segment()
                        + " has no decision.json beside it, so nobody knows where its pages belong. " + creator.fix()));
        try {
            var record = SegmentRecord.parse(text);
            record.toDecision();
            return record;
        } catch (JsonProcessingException | IllegalArgumentException malformed) {
            throw new UnusableSegment("decision.json beside the segment in " + folders.segment() + " cannot be read: "
                    + malformed.getMessage() + ". " + creator.fix());
        }
    }

    private SegmentLayout layout(SegmentPlan plan, SegmentRecord record) {
        try {
            return plan.layout(record);
        } catch (IllegalArgumentException doesNotFit) {
            throw otherSettings("By the decision beside it, " + doesNotFit.getMessage() + ".");
        }
    }

    private UnusableSegment otherSettings(String difference) {
        return new UnusableSegment("The segment in " + folders.segment() + " was made for other settings. " + difference
                + " " + creator.fix());
    }

    /**
     * A new segment: created, placed, formatted, published.
     *
     * @throws PlacementFailed where it cannot be placed now; its memory was given back
     */
    Made make(Observation observation, Decision decision) {
        var record = SegmentRecord.made(decision, observation, poolGeneration, spec);
        var plan = plan(observation);
        var layout = plan.layout(record);
        checkPlaces(layout);
        SegmentFiles files;
        try {
            files = creator.create(layout.controlBytes(), request.maxSizeBytes());
        } catch (LinuxException failed) {
            throw notMade(failed);
        }
        try {
            return place(files, plan, record, observation, decision);
        } catch (LinuxException failed) {
            files.close();
            creator.discardUnfinished();
            throw notMade(failed);
        } catch (RuntimeException failed) {
            files.close();
            creator.discardUnfinished();
            throw failed;
        }
    }

    private PlacementFailed notMade(LinuxException failed) {
        if (reserved() && failed.errno() == Errno.EACCES) {
            return new PlacementFailed(
                    Reason.FsGroupMissing,
                    failed.getMessage()
                            + ": a fresh hugetlbfs belongs to root. Set spec.securityContext.fsGroup in the pod"
                            + " to any group, or use spec.hugePages.mode Transparent.");
        }
        return new PlacementFailed(
                Reason.SegmentFailed,
                failed.getMessage() + ". The segment of " + spec.size() + " in " + folders.segment()
                        + " could not be made; if memory is short, make spec.size smaller.");
    }

    private Made place(
            SegmentFiles files, SegmentPlan plan, SegmentRecord record, Observation observation, Decision decision) {
        var placer = placer(observation, progress);
        var ranges = plan.ranges(record, decision.placement());
        var windows = WindowSet.map(linux, ranges, files.byKind(), request.hugePageBytes());
        try {
            var placed = placer.place(windows, decision.placement().method(), request.enforcement());
            try (var control = map(files, Protection.READ_WRITE)) {
                SegmentFormatter.format(control.memory(), plan.layout(record), newGeneration(), clock.millis());
            }
            creator.publish(record.toJson());
            var made = open(files, plan, record, placer, Optional.of(windows));
            return new Made(made.segment(), decision, placed, record);
        } catch (RuntimeException failed) {
            windows.close();
            throw failed;
        }
    }

    private Mapping map(SegmentFiles files, Protection protection) {
        return linux.map(files.control(), 0, files.controlBytes(), protection, PAGE_BYTES);
    }

    /** {@code placed}: what this process has just placed; empty: it is counted. */
    private Made open(
            SegmentFiles files,
            SegmentPlan plan,
            SegmentRecord record,
            SegmentPlacer placer,
            Optional<WindowSet> placed) {
        var control = map(files, Protection.READ_WRITE);
        var opened = new ArrayList<AutoCloseable>(List.of(control));
        try {
            var buffers = linux.map(files.buffers(), 0, files.buffersBytes(), Protection.READ, request.hugePageBytes());
            opened.add(buffers);
            var pool = BufferPool.takeOver(
                    control.memory(), buffers.memory(), linux, OWN_CLIENT_NUMBER, PoolOptions.defaults());
            var decision = record.toDecision();
            // An earlier process may have died while it grew or shrank the pool: only what is in service has frames for
            // sure.
            var populated = SegmentPlan.common(decision.placement(), pool.bufferCounts());
            var windows = placed.orElseGet(() ->
                    WindowSet.map(linux, plan.ranges(record, populated), files.byKind(), request.hugePageBytes()));
            var segment = new LiveSegment(files, windows, control, buffers, pool, placer);
            var ranges = placed.isPresent() ? List.<RangePlacement>of() : segment.verify();
            return new Made(
                    segment,
                    new Decision(populated, decision.by()),
                    new SegmentPlacer.Placed(decision.placement().method(), ranges, Errno.OK),
                    record);
        } catch (PoolException.SegmentMismatch mismatch) {
            closeAll(opened);
            throw new UnusableSegment(folders.segment() + ": " + mismatch.getMessage() + ". " + creator.fix());
        } catch (RuntimeException failed) {
            closeAll(opened);
            throw failed;
        }
    }

    private static void closeAll(List<AutoCloseable> opened) {
        for (var one : opened) {
            ((Mapping) one).close();
        }
    }

    private void checkPlaces(SegmentLayout layout) {
        var place = new SegmentPlace(linux);
        place.checkTmpfs(folders.segment(), layout.controlBytes() + (reserved() ? 0 : request.sizeBytes()));
        if (reserved()) {
            place.checkHugetlbfs(folders.hugePages(), request.hugePageBytes());
        }
    }

    /** Of this pool's segment on the machine that is seen. */
    SegmentPlan plan(Observation observation) {
        return new SegmentPlan(spec, observation);
    }

    /** Places and counts with what this container may use now. */
    SegmentPlacer placer(Observation observation, Progress watched) {
        var reachability = Reachability.of(observation);
        var cpusOfNode = new HashMap<Integer, CpuSet>();
        observation.memsAllowed().stream().forEach(node -> cpusOfNode.put(node, reachability.touchCpus(node)));
        var tools = new PlacementTools(cpusOfNode, new NodeMemory(Path.of("/sys/devices/system/node")), watched);
        return new SegmentPlacer(linux, tools, request.hugePageMode(), request.hugePageBytes(), stop, log);
    }

    private static long newGeneration() {
        long generation = new SecureRandom().nextLong();
        return generation == 0 ? 1 : generation;
    }
}
