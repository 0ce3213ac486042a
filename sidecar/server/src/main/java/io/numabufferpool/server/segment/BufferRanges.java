package io.numabufferpool.server.segment;

import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementDecision.PartitionPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** From a decision to the ranges of the buffers file that are populated, each with its NUMA nodes. Pure. */
public final class BufferRanges {
    private BufferRanges() {}

    /**
     * Ascending by offset, none overlapping another. What lies between them is address space kept for growing.
     *
     * @param bufferBytes size of one buffer
     * @param pageBytes the (huge) page size: every range begins and ends on such a page, and stripes are this long
     */
    public static List<PlacedRange> of(PlacementDecision decision, long bufferBytes, long pageBytes) {
        var shares = new TreeMap<Integer, Long>();
        decision.shares().forEach(share -> shares.put(share.numaNode(), share.bytes()));
        var given = new TreeMap<Integer, Long>();
        var ranges = new ArrayList<PlacedRange>();
        for (var run : runs(decision.partitions(), bufferBytes, pageBytes)) {
            ranges.add(run.place(shares, given, pageBytes));
        }
        return ranges;
    }

    /** Partitions of one node whose populated buffers touch, rounded out to whole pages. */
    private record Run(int firstPartition, int lastPartition, int numaNode, long beginBytes, long endBytes) {
        PlacedRange place(SortedMap<Integer, Long> shares, SortedMap<Integer, Long> given, long pageBytes) {
            var name = firstPartition == lastPartition
                    ? "buffers of partition " + firstPartition
                    : "buffers of partitions " + firstPartition + "-" + lastPartition;
            long bytes = endBytes - beginBytes;
            if (numaNode != PlacementDecision.NO_SINGLE_NODE) {
                return PlacedRange.onNode(SegmentFile.BUFFERS, name, beginBytes, bytes, numaNode);
            }
            if (shares.isEmpty()) {
                return PlacedRange.anywhere(SegmentFile.BUFFERS, name, beginBytes, bytes);
            }
            var wanted = takeTurns(shares, given, bytes, pageBytes);
            return new PlacedRange(SegmentFile.BUFFERS, name, beginBytes, bytes, pageBytes, wanted);
        }
    }

    /** This run's part of every node's share, so that the runs together use up the shares. */
    private static SortedMap<Integer, Long> takeTurns(
            SortedMap<Integer, Long> shares, SortedMap<Integer, Long> given, long bytes, long pageBytes) {
        long totalBytes = shares.values().stream().mapToLong(Long::longValue).sum();
        long before = given.values().stream().mapToLong(Long::longValue).sum();
        var wanted = new TreeMap<Integer, Long>();
        for (long offset = 0; offset < bytes; offset += pageBytes) {
            int numaNode =
                    PlacedRange.furthestBehind(shares, given, pageBytes, before + offset + pageBytes, totalBytes);
            given.merge(numaNode, pageBytes, Long::sum);
            wanted.merge(numaNode, pageBytes, Long::sum);
        }
        return wanted;
    }

    private static List<Run> runs(List<PartitionPlan> partitions, long bufferBytes, long pageBytes) {
        var runs = new ArrayList<Run>();
        for (var partition : partitions) {
            long begin = partition.offsetBytes() / pageBytes * pageBytes;
            long populatedEnd = partition.offsetBytes() + partition.bufferCount() * bufferBytes;
            long end = Math.ceilDiv(populatedEnd, pageBytes) * pageBytes;
            var last = runs.isEmpty() ? null : runs.getLast();
            if (last != null && last.numaNode() == partition.numaNode() && begin <= last.endBytes()) {
                runs.removeLast();
                runs.add(
                        new Run(last.firstPartition(), partition.partition(), last.numaNode(), last.beginBytes(), end));
                continue;
            }
            // A page that two partitions of different nodes share belongs to the one that it begins in.
            long free = last == null ? begin : Math.max(begin, last.endBytes());
            if (free < end) {
                runs.add(new Run(partition.partition(), partition.partition(), partition.numaNode(), free, end));
            }
        }
        return runs;
    }
}
