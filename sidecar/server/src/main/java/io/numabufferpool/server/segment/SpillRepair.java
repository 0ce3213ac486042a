package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import java.util.ArrayList;
import java.util.List;

/**
 * Frees the pages of a window that lie on the wrong node, so that they can be populated again. Only before publication:
 * nobody else may have the segment mapped.
 */
final class SpillRepair {
    /** A window is searched in pieces of this size; a piece with one spilled page is freed as a whole. */
    static final long PIECE_BYTES = 64L << 20;

    private final Linux linux;
    private final PlacementVerifier verifier;
    private final long alignmentBytes;

    SpillRepair(Linux linux, PlacementVerifier verifier, long alignmentBytes) {
        this.linux = linux;
        this.verifier = verifier;
        this.alignmentBytes = alignmentBytes;
    }

    /** Punches every piece with a spilled page; returns how many bytes were freed. */
    long freeSpilled(Window window) {
        long freedBytes = 0;
        for (var piece : pieces(window.range())) {
            if (isAsWanted(window, piece)) {
                continue;
            }
            var errno = linux.punchHole(window.file(), piece.offsetBytes(), piece.bytes());
            if (!errno.ok()) {
                throw new LinuxException(
                        "fallocate(PUNCH_HOLE) of " + piece.bytes() + " bytes at " + piece.offsetBytes() + " of "
                                + window.file().name(),
                        errno.number());
            }
            freedBytes += piece.bytes();
        }
        return freedBytes;
    }

    /** The kernel counts by mapping, so each piece is looked at through one of its own. */
    private boolean isAsWanted(Window window, PlacedRange piece) {
        var files = java.util.Map.of(piece.file(), window.file());
        try (var alone = WindowSet.map(linux, List.of(piece), files, alignmentBytes)) {
            return verifier.verify(alone.windows()).getFirst().asWanted();
        }
    }

    private static List<PlacedRange> pieces(PlacedRange range) {
        var pieces = new ArrayList<PlacedRange>();
        for (var stripe : range.stripes()) {
            for (long offset = 0; offset < stripe.bytes(); offset += PIECE_BYTES) {
                long length = Math.min(PIECE_BYTES, stripe.bytes() - offset);
                long begin = range.offsetBytes() + stripe.offsetBytes() + offset;
                pieces.add(PlacedRange.onNode(range.file(), range.name(), begin, length, stripe.numaNode()));
            }
        }
        return pieces;
    }
}
