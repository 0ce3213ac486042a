package io.numabufferpool.server.segment;

import io.numabufferpool.placement.ByteCount;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Where the pages of one range really are, as the kernel counts them. Immutable.
 *
 * @param range what was wanted
 * @param placedBytes bytes by node
 * @param hugeBytes of them in huge pages, by the size the kernel maps
 */
public record RangePlacement(PlacedRange range, SortedMap<Integer, Long> placedBytes, long hugeBytes) {
    /** A message names so many ranges; all of them are a table. */
    private static final int DESCRIBED_MAX = 4;

    public RangePlacement {
        placedBytes = Collections.unmodifiableSortedMap(new TreeMap<>(placedBytes));
    }

    /** Bytes that have a frame on any node. */
    public long presentBytes() {
        return placedBytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Bytes without a frame (swapped out, or never populated). */
    public long missingBytes() {
        return Math.max(0, range.bytes() - presentBytes());
    }

    /** Bytes by the node where they are and do not belong. Nothing is spilled where any node will do. */
    public SortedMap<Integer, Long> spilledBytes() {
        var spilled = new TreeMap<Integer, Long>();
        if (range.wantedBytes().isEmpty()) {
            return spilled;
        }
        placedBytes.forEach((numaNode, bytes) -> {
            long excess = bytes - range.wantedBytes().getOrDefault(numaNode, 0L);
            if (excess > 0) {
                spilled.put(numaNode, excess);
            }
        });
        return spilled;
    }

    /** Whether every page has a frame on its node. */
    public boolean asWanted() {
        return missingBytes() == 0 && spilledBytes().isEmpty();
    }

    /** What is wrong in words, without a full stop: {@code pages are not where they belong: ...}. */
    public static String describe(List<RangePlacement> ranges) {
        var misplaced = ranges.stream().filter(range -> !range.asWanted()).toList();
        int more = misplaced.size() - DESCRIBED_MAX;
        return "pages are not where they belong: "
                + misplaced.stream()
                        .limit(DESCRIBED_MAX)
                        .map(RangePlacement::describe)
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more ranges, see numapool verify" : "");
    }

    private String describe() {
        var found = new ArrayList<String>();
        spilledBytes().forEach((numaNode, bytes) -> found.add(amount(bytes, numaNode)));
        if (missingBytes() > 0) {
            found.add(ByteCount.render(missingBytes()) + " nowhere");
        }
        return range.name() + " (wanted " + wanted() + "): " + String.join(", ", found);
    }

    private String wanted() {
        if (range.wantedBytes().isEmpty()) {
            return "anywhere";
        }
        return range.wantedBytes().entrySet().stream()
                .map(entry -> amount(entry.getValue(), entry.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static String amount(long bytes, int numaNode) {
        return ByteCount.render(bytes) + " on NUMA node " + numaNode;
    }
}
