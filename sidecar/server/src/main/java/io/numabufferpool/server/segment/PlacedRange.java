package io.numabufferpool.server.segment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A stretch of one file and how many of its bytes belong on which NUMA node. Immutable.
 *
 * @param file which file
 * @param name for messages, such as {@code buffers of partitions 0-3}
 * @param offsetBytes where it begins, a multiple of the page size
 * @param stripeBytes the unit that lies on one node; a multiple of the page size
 * @param bytes how long it is, a multiple of the page size
 * @param wantedBytes bytes by node; they add up to {@code bytes}. One node: all of it there. Empty: wherever the kernel puts it
 */
public record PlacedRange(
        SegmentFile file,
        String name,
        long offsetBytes,
        long bytes,
        long stripeBytes,
        SortedMap<Integer, Long> wantedBytes) {
    public PlacedRange {
        wantedBytes = Collections.unmodifiableSortedMap(new TreeMap<>(wantedBytes));
        long sum = wantedBytes.values().stream().mapToLong(Long::longValue).sum();
        if (!wantedBytes.isEmpty() && sum != bytes) {
            throw new IllegalArgumentException(name + ": shares of " + sum + " bytes for a range of " + bytes);
        }
    }

    /** A piece that lies on one node as a whole. The offset counts from the beginning of the range. */
    public record Stripe(int numaNode, long offsetBytes, long bytes) {}

    /** The node of a stripe that lies anywhere. */
    public static final int ANYWHERE = -1;

    /** All on one node, in one stripe. */
    public static PlacedRange onNode(SegmentFile file, String name, long offsetBytes, long bytes, int numaNode) {
        return new PlacedRange(file, name, offsetBytes, bytes, bytes, new TreeMap<>(Map.of(numaNode, bytes)));
    }

    /** Wherever the kernel's first touch puts it. */
    public static PlacedRange anywhere(SegmentFile file, String name, long offsetBytes, long bytes) {
        return new PlacedRange(file, name, offsetBytes, bytes, bytes, new TreeMap<>());
    }

    /** Whether it alternates between nodes, so that a policy for the whole range would not say which page goes where. */
    public boolean striped() {
        return wantedBytes.size() > 1;
    }

    /**
     * The pieces in order. Several nodes take turns so that after every stripe each has had its proportion: the next
     * stripe goes to the node that is furthest behind, the lowest on a tie.
     */
    public List<Stripe> stripes() {
        if (!striped()) {
            int numaNode = wantedBytes.isEmpty() ? ANYWHERE : wantedBytes.firstKey();
            return List.of(new Stripe(numaNode, 0, bytes));
        }
        var stripes = new ArrayList<Stripe>();
        var given = new TreeMap<Integer, Long>();
        for (long offset = 0; offset < bytes; offset += stripeBytes) {
            long length = Math.min(stripeBytes, bytes - offset);
            int numaNode = furthestBehind(wantedBytes, given, length, offset + length, bytes);
            given.merge(numaNode, length, Long::sum);
            stripes.add(new Stripe(numaNode, offset, length));
        }
        return stripes;
    }

    /**
     * A piece of it, with what belongs on each node of that piece. Cut at multiples of the stripe, or its bytes would belong
     * to two stripes.
     *
     * @param fromBytes where it begins, from the beginning of this range
     * @param length how long it is, in bytes
     */
    PlacedRange part(long fromBytes, long length) {
        if (!striped()) {
            return wantedBytes.isEmpty()
                    ? anywhere(file, name, offsetBytes + fromBytes, length)
                    : onNode(file, name, offsetBytes + fromBytes, length, wantedBytes.firstKey());
        }
        var wanted = new TreeMap<Integer, Long>();
        for (var stripe : stripes()) {
            long begin = Math.max(stripe.offsetBytes(), fromBytes);
            long end = Math.min(stripe.offsetBytes() + stripe.bytes(), fromBytes + length);
            if (begin < end) {
                wanted.merge(stripe.numaNode(), end - begin, Long::sum);
            }
        }
        return new PlacedRange(file, name, offsetBytes + fromBytes, length, stripeBytes, wanted);
    }

    /** The same bytes, wherever they are. */
    public PlacedRange anywhere() {
        return anywhere(file, name, offsetBytes, bytes);
    }

    /**
     * The node that is furthest behind its proportion of {@code reachedBytes}; one that has no room left in its share for
     * the stripe that ends there is out.
     */
    static int furthestBehind(
            SortedMap<Integer, Long> shares,
            SortedMap<Integer, Long> given,
            long lengthBytes,
            long reachedBytes,
            long totalBytes) {
        int best = shares.firstKey();
        double bestLag = Double.NEGATIVE_INFINITY;
        for (var share : shares.entrySet()) {
            long had = given.getOrDefault(share.getKey(), 0L);
            double due = (double) share.getValue() * reachedBytes / totalBytes;
            if (share.getValue() - had >= lengthBytes && due - had > bestLag) {
                best = share.getKey();
                bestLag = due - had;
            }
        }
        return best;
    }
}
