package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.numabufferpool.placement.ByteCount;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What lies on one NUMA node, and how it is used: of one pod's segment, or summed over the pods of a pool. Bytes are the
 * kernel's counts, never what was asked for. Immutable.
 *
 * @param numaNode the kernel's number; -1 for the use of buffers that lie on no single node (Interleave, None)
 * @param wantedBytes bytes of buffers decided for this node
 * @param placedBytes bytes of buffers that lie on this node
 * @param spilledBytes those of them that were decided for another node
 * @param hugeBytes those of them that lie in huge pages
 * @param bufferCount buffers that lie on this node
 * @param buffersUsed buffers that hold a block
 * @param dirty buffers that differ from their file
 * @param pinned buffers that a session holds
 * @param hits look-ups answered from these buffers
 * @param misses blocks read into these buffers
 * @param evictions blocks that left these buffers for another
 * @param hitRatio hits / (hits + misses) with three decimals; absent before the first look-up
 * @param summary the same in one line
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaNodeUsage(
        @JsonPropertyDescription("The kernel's number of the node.")
        int numaNode,

        @JsonPropertyDescription("Bytes of buffers decided for this node.")
        long wantedBytes,

        @JsonPropertyDescription("Bytes of buffers that lie on this node, as the kernel counts.")
        long placedBytes,

        @JsonPropertyDescription("Those of them that were decided for another node.")
        long spilledBytes,

        @JsonPropertyDescription("Those of them that lie in huge pages.")
        long hugeBytes,

        @JsonPropertyDescription("Buffers that lie on this node.")
        long bufferCount,

        @JsonPropertyDescription("Buffers that hold a block.")
        long buffersUsed,

        @JsonPropertyDescription("Buffers that differ from their file.")
        long dirty,

        @JsonPropertyDescription("Buffers that a session holds.")
        long pinned,

        @JsonPropertyDescription("Look-ups answered from these buffers.")
        long hits,

        @JsonPropertyDescription("Blocks read into these buffers.")
        long misses,

        @JsonPropertyDescription("Blocks that left these buffers for another.")
        long evictions,

        @JsonPropertyDescription("hits / (hits + misses); absent before the first look-up.") @Nullable
        String hitRatio,

        @JsonPropertyDescription("The same in one line.") String summary) {

    /** With {@code hitRatio} and {@code summary} worked out. */
    public static NumaNodeUsage of(
            int numaNode,
            long wantedBytes,
            long placedBytes,
            long spilledBytes,
            long hugeBytes,
            long bufferCount,
            long buffersUsed,
            long dirty,
            long pinned,
            long hits,
            long misses,
            long evictions) {
        var ratio = ratio(hits, misses);
        var summary = (numaNode < 0 ? "on no single node: " : "node " + numaNode + ": ") + ByteCount.render(placedBytes)
                + " placed of "
                + ByteCount.render(wantedBytes) + " wanted, " + ByteCount.render(spilledBytes) + " spilled, "
                + ByteCount.render(hugeBytes) + " in huge pages; " + buffersUsed + " of " + bufferCount
                + " buffers used, "
                + dirty + " dirty, " + pinned + " pinned; " + hits + " hits, " + misses + " misses, " + evictions
                + " evictions" + (ratio == null ? "" : ", hit ratio " + ratio);
        return new NumaNodeUsage(
                numaNode,
                wantedBytes,
                placedBytes,
                spilledBytes,
                hugeBytes,
                bufferCount,
                buffersUsed,
                dirty,
                pinned,
                hits,
                misses,
                evictions,
                ratio,
                summary);
    }

    /** Totals per node over many pods, ascending by node. */
    public static List<NumaNodeUsage> total(List<NumaNodeUsage> usages) {
        SortedMap<Integer, NumaNodeUsage> totals = new TreeMap<>();
        usages.forEach(usage -> totals.merge(usage.numaNode(), usage, NumaNodeUsage::plus));
        return List.copyOf(totals.values());
    }

    private static NumaNodeUsage plus(NumaNodeUsage a, NumaNodeUsage b) {
        return of(
                a.numaNode,
                a.wantedBytes + b.wantedBytes,
                a.placedBytes + b.placedBytes,
                a.spilledBytes + b.spilledBytes,
                a.hugeBytes + b.hugeBytes,
                a.bufferCount + b.bufferCount,
                a.buffersUsed + b.buffersUsed,
                a.dirty + b.dirty,
                a.pinned + b.pinned,
                a.hits + b.hits,
                a.misses + b.misses,
                a.evictions + b.evictions);
    }

    private static @Nullable String ratio(long hits, long misses) {
        long lookups = hits + misses;
        if (lookups <= 0) {
            return null;
        }
        return BigDecimal.valueOf(hits)
                .divide(BigDecimal.valueOf(lookups), 3, RoundingMode.DOWN)
                .toPlainString();
    }
}
