package io.numabufferpool.server.segment;

import io.numabufferpool.crds.Reason;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.placement.HugePageMode;
import java.util.List;
import java.util.stream.Collectors;

/** The segment cannot be placed now. The message says where how much is missing and what to change. */
public final class PlacementFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public PlacementFailed(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    static PlacementFailed shortage(List<Shortage> shortages, HugePageMode hugePages) {
        boolean reserved = hugePages == HugePageMode.Reserved;
        var where = shortages.stream()
                .map(shortage -> "%s: %d of %d bytes on %s (%s)"
                        .formatted(
                                shortage.range().name(),
                                shortage.missingBytes(),
                                shortage.range().bytes(),
                                node(shortage.numaNode()),
                                shortage.errno()))
                .collect(Collectors.joining("; "));
        if (shortages.stream().anyMatch(shortage -> shortage.errno() == Errno.EINVAL)) {
            return new PlacementFailed(
                    Reason.SegmentFailed,
                    "madvise(MADV_POPULATE_WRITE) failed for " + where
                            + ": this kernel does not know it. Run the pod on a node with Linux 5.14 or later.");
        }
        var fix = reserved
                ? "Reserve more huge pages on that node, name other nodes in spec.placement.nodes, make spec.size smaller,"
                        + " or set spec.placement.enforcement to BestEffort."
                : "Free memory on that node, raise the sidecar's memory limit, name other nodes in spec.placement.nodes,"
                        + " make spec.size smaller, or set spec.placement.enforcement to BestEffort.";
        return new PlacementFailed(
                reserved ? Reason.InsufficientHugePages : Reason.InsufficientMemory,
                "The kernel gave no pages for " + where + ". " + fix);
    }

    static PlacementFailed spilled(List<RangePlacement> ranges, int tries) {
        return new PlacementFailed(
                Reason.PlacementSpilled,
                "After " + tries + " more tries " + RangePlacement.describe(ranges)
                        + ". Free memory on the wanted nodes, name other nodes in spec.placement.nodes, or set"
                        + " spec.placement.enforcement to BestEffort.");
    }

    static String node(int numaNode) {
        return numaNode == PlacedRange.ANYWHERE ? "any NUMA node" : "NUMA node " + numaNode;
    }
}
