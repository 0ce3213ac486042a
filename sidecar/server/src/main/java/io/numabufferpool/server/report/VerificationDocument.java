package io.numabufferpool.server.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.numabufferpool.server.segment.PlacedRange;
import io.numabufferpool.server.segment.RangePlacement;
import java.util.List;
import java.util.Locale;

/**
 * Where every part of a segment lies, counted at the moment it was asked for: what {@code numapool verify} renders. Immutable.
 *
 * @param pool name of the pool
 * @param generation of the segment, hex
 * @param verifiedAt when the pages were counted, ISO 8601
 * @param policy how pages are spread
 * @param numaNodes the nodes that were decided, as a list such as 0-1,3
 * @param asDecided whether every page of the segment lies where it was decided to lie
 * @param partitions the buffers, partition by partition
 * @param ranges the whole segment as it is placed: runs of partitions, and the sections of the control file
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VerificationDocument(
        String pool,
        String generation,
        String verifiedAt,
        String policy,
        String numaNodes,
        boolean asDecided,
        List<Row> partitions,
        List<Row> ranges) {
    public VerificationDocument {
        partitions = partitions == null ? List.of() : List.copyOf(partitions);
        ranges = ranges == null ? List.of() : List.copyOf(ranges);
    }

    /**
     * One stretch of the segment.
     *
     * @param file control or buffers
     * @param name for people
     * @param bytes how long it is
     * @param wanted bytes by node; empty where it has no node of its own
     * @param placed bytes by node, as the kernel counts
     * @param spilledBytes those that lie on a node where they do not belong
     * @param missingBytes those that have no memory now: swapped out
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Row(
            String file,
            String name,
            long bytes,
            List<NodeBytes> wanted,
            List<NodeBytes> placed,
            long spilledBytes,
            long missingBytes) {
        public Row {
            wanted = wanted == null ? List.of() : List.copyOf(wanted);
            placed = placed == null ? List.of() : List.copyOf(placed);
        }

        /** From what was counted. */
        public static Row of(RangePlacement counted) {
            PlacedRange range = counted.range();
            long spilled = counted.spilledBytes().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            return new Row(
                    range.file().name().toLowerCase(Locale.ROOT),
                    range.name(),
                    range.bytes(),
                    range.wantedBytes().entrySet().stream()
                            .map(node -> new NodeBytes(node.getKey(), node.getValue()))
                            .toList(),
                    counted.placedBytes().entrySet().stream()
                            .map(node -> new NodeBytes(node.getKey(), node.getValue()))
                            .toList(),
                    spilled,
                    counted.missingBytes());
        }
    }

    /** Bytes on one NUMA node. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record NodeBytes(int numaNode, long bytes) {}
}
