package io.numabufferpool.server.report;

import io.numabufferpool.pool.PoolStatistics;
import io.numabufferpool.pool.PoolStatistics.Counters;
import io.numabufferpool.pool.PoolStatistics.NodeUsage;

/**
 * Statistics for a status that is written to etcd: totals keep three digits, so that it changes when something happened and
 * not with every look-up. Pure.
 */
public final class Rounding {
    /** Three digits: a change of less than a thousandth is no news. */
    private static final long DIGITS_MAX = 1000;

    private Rounding() {}

    public static PoolStatistics of(PoolStatistics exact) {
        return new PoolStatistics(
                exact.numaNodes().stream()
                        .map(row -> new NodeUsage(row.numaNode(), row.buffers(), counters(row.counters())))
                        .toList(),
                exact.partitions(),
                exact.slotsLeased(),
                exact.slotCount(),
                exact.spacesRegistered());
    }

    private static Counters counters(Counters exact) {
        return new Counters(
                round(exact.hits()),
                round(exact.misses()),
                round(exact.evictions()),
                round(exact.loadFailures()),
                round(exact.waits()),
                round(exact.rescues()),
                round(exact.steals()),
                round(exact.retries()));
    }

    /** Down to three digits: 123456 is 123000. */
    static long round(long count) {
        long unit = 1;
        while (count / unit >= DIGITS_MAX) {
            unit *= 10;
        }
        return count / unit * unit;
    }
}
