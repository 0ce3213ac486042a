package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.MemoryMove;
import io.numabufferpool.linux.MemoryPolicy;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.segment.Prefault.MethodRefused;
import io.numabufferpool.server.segment.Prefault.WhenFull;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Places a segment that nobody has mapped yet: populate, collapse, verify; free what was spilled and try again a bounded
 * number of times. What it answers is what the kernel counted at the end.
 */
public final class SegmentPlacer {
    /** kswapd, woken by the first try, makes room on the node within a second or not at all. */
    private static final int REPAIRS_MAX = 3;

    private static final Duration REPAIR_PAUSE = Duration.ofMillis(300);

    /**
     * What was reached.
     *
     * @param method the rung of the ladder that was really used
     * @param ranges where the pages are, in the windows' order
     * @param collapse the last error of MADV_COLLAPSE, or OK
     */
    public record Placed(PlacementMethod method, List<RangePlacement> ranges, Errno collapse) {
        public boolean asWanted() {
            return ranges.stream().allMatch(RangePlacement::asWanted);
        }
    }

    private final Linux linux;
    private final HugePageMode hugePages;
    private final long hugePageBytes;
    private final Prefault prefault;
    private final Collapse collapse;
    private final PlacementVerifier verifier;
    private final SpillRepair repair;
    private final StopSignal stop;
    private final Log log;

    public SegmentPlacer(
            Linux linux, PlacementTools tools, HugePageMode hugePages, long hugePageBytes, StopSignal stop, Log log) {
        this.linux = linux;
        this.hugePages = hugePages;
        this.hugePageBytes = hugePageBytes;
        var threads = new NodeThreads(linux, tools.cpusOfNode());
        this.prefault = new Prefault(linux, threads, tools.nodeMemory(), stop, tools.progress());
        this.collapse = new Collapse(linux, threads, stop, tools.progress());
        this.verifier = new PlacementVerifier(linux);
        this.repair = new SpillRepair(linux, verifier, hugePageBytes);
        this.stop = stop;
        this.log = log;
    }

    /** Places all windows, or throws {@link PlacementFailed}: without room for every page, or spilled under Strict. */
    public Placed place(WindowSet set, PlacementMethod decided, Enforcement enforcement) {
        try {
            return placeBy(decided, set.windows(), enforcement);
        } catch (MethodRefused refused) {
            log.warn(
                    "the placement method was refused; trying the next one",
                    "method",
                    decided,
                    "next",
                    PlacementMethod.PinnedFirstTouch,
                    "answer",
                    refused.getMessage());
            return placeBy(PlacementMethod.PinnedFirstTouch, set.windows(), enforcement);
        }
    }

    /** Where the pages are now: of a segment that others may have mapped. */
    public List<RangePlacement> verify(WindowSet set) {
        return verifier.verify(set.windows());
    }

    /** Where the pages of any ranges are now, through mappings that are made for it: the kernel counts by mapping. */
    public List<RangePlacement> count(List<PlacedRange> ranges, Map<SegmentFile, LinuxFile> files) {
        try (var windows = WindowSet.map(linux, ranges, files, hugePageBytes)) {
            return verifier.verify(windows.windows());
        }
    }

    private Placed placeBy(PlacementMethod method, List<Window> windows, Enforcement enforcement) {
        var full = new HashSet<PlacedRange>();
        var open = windows;
        var collapsed = Errno.OK;
        for (int repairs = 0; ; repairs++) {
            full.addAll(populate(open, method, enforcement));
            if (hugePages == HugePageMode.Transparent) {
                collapsed = collapse.collapse(open);
            }
            var ranges = verifier.verify(windows);
            open = repairable(windows, ranges, full);
            if (open.isEmpty() || repairs == REPAIRS_MAX) {
                leavePolicy(windows, method);
                return checked(new Placed(method, ranges, collapsed), enforcement);
            }
            long freedBytes = open.stream().mapToLong(repair::freeSpilled).sum();
            log.info("freed pages that were not on their NUMA node", "bytes", freedBytes, "try", repairs + 1);
            stop.pause(REPAIR_PAUSE);
        }
    }

    /** The ranges for which a node had no room: under BestEffort they are populated all the same, elsewhere. */
    private Set<PlacedRange> populate(List<Window> windows, PlacementMethod method, Enforcement enforcement) {
        var pages = hugePages == HugePageMode.Reserved ? Prefault.HugeTlb.YES : Prefault.HugeTlb.NO;
        var shortages = prefault.populate(windows, method, WhenFull.REFUSE, pages);
        var full = new HashSet<PlacedRange>();
        shortages.forEach(shortage -> full.add(shortage.range()));
        if (!shortages.isEmpty() && enforcement == Enforcement.BestEffort) {
            var again = windows.stream()
                    .filter(window -> full.contains(window.range()))
                    .toList();
            shortages = prefault.populate(again, method, WhenFull.SPILL, pages);
        }
        if (!shortages.isEmpty()) {
            throw PlacementFailed.shortage(shortages, hugePages);
        }
        return full;
    }

    private static List<Window> repairable(
            List<Window> windows, List<RangePlacement> ranges, Set<PlacedRange> withoutRoom) {
        return java.util.stream.IntStream.range(0, windows.size())
                .filter(i -> !ranges.get(i).asWanted())
                .mapToObj(windows::get)
                .filter(window -> !withoutRoom.contains(window.range()))
                .toList();
    }

    /**
     * A policy keeps NUMA balancing and demotion away from the pages; on tmpfs it belongs to the file and so holds in every
     * process. Placement does not depend on it: a refusal leaves the pages where they are.
     */
    private void leavePolicy(List<Window> windows, PlacementMethod method) {
        if (method != PlacementMethod.Mbind) {
            return;
        }
        for (var window : windows) {
            if (!window.range().striped()) {
                continue;
            }
            var numaNodes = NumaNodeSet.of(window.range().wantedBytes().keySet().stream()
                    .mapToInt(Integer::intValue)
                    .toArray());
            var errno = linux.bindMemory(window.memory(), MemoryPolicy.INTERLEAVE, numaNodes, MemoryMove.LEAVE);
            if (!errno.ok()) {
                log.warn(
                        "mbind of placed pages was refused",
                        "range",
                        window.range().name(),
                        "answer",
                        errno);
            }
        }
    }

    private static Placed checked(Placed placed, Enforcement enforcement) {
        if (enforcement == Enforcement.Strict && !placed.asWanted()) {
            throw PlacementFailed.spilled(placed.ranges(), REPAIRS_MAX);
        }
        return placed;
    }
}
