package io.numabufferpool.bench.replacement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * REPLACEMENT.md: hit ratios in percent, of the made workloads and of every NAME.txt in a folder of traces, at several sizes. The
 * same numbers on every machine.
 */
public final class ReplacementTable {
    /** Cache sizes as shares of a workload's distinct blocks. */
    static final List<Double> SHARES = List.of(0.02, 0.05, 0.1, 0.2, 0.4, 0.8);

    /** Sessions that take turns in the last column. */
    private static final int SESSIONS = 4;

    private static final String HEAD = """
            # Replacement

            Written by `./mvnw -q -Pbench -Dbench=replacement -Dbench.traces=FOLDER`: hits in percent of the references, by the pool's
            own code (one session, and four that take turns) and by models of its peers. Sizes are shares of the distinct blocks. `+`
            is what the pool has over PostgreSQL's clock, in points. S3-FIFO is the better of its two variants. No clock is read: the
            numbers are the same on every machine.

            | workload | buffers | pool | + | pool, 4 sessions | PostgreSQL | plain clock | LRU | SIEVE | S3-FIFO | OPT |
            |---|---|---|---|---|---|---|---|---|---|---|
            """;

    /** One line: hit ratios in percent. */
    record Row(
            String workload,
            int size,
            double pool,
            double poolOfSessions,
            double postgres,
            double clock,
            double recency,
            double sieve,
            double queues,
            double optimal) {
        /** Points over PostgreSQL's clock. */
        double gain() {
            return pool - postgres;
        }

        private String text() {
            var line = new StringBuilder("| " + workload + " | " + size + " | " + percent(pool)
                    + String.format(Locale.ROOT, " | %+.2f", gain()));
            for (double ratio : List.of(poolOfSessions, postgres, clock, recency, sieve, queues, optimal)) {
                line.append(" | ").append(percent(ratio));
            }
            return line.append(" |\n").toString();
        }

        private static String percent(double ratio) {
            return String.format(Locale.ROOT, "%.2f", ratio);
        }
    }

    private ReplacementTable() {}

    /** Writes the table; {@code traces} is a folder, or empty. */
    public static void write(Path folder, String traces) throws IOException {
        var workloads = new ArrayList<>(Workload.made());
        if (!traces.isEmpty()) {
            workloads.addAll(Workload.read(Path.of(traces)));
        }
        var text = new StringBuilder(HEAD);
        for (var workload : workloads) {
            for (double share : SHARES) {
                text.append(row(workload, workload.cacheSize(share)).text());
            }
        }
        Files.writeString(folder.resolve("REPLACEMENT.md"), text);
    }

    static Row row(Workload workload, int size) {
        return new Row(
                workload.name(),
                size,
                pool(workload, size, 1),
                pool(workload, size, SESSIONS),
                workload.hitRatio(ClockCache.ofPostgres(size)),
                workload.hitRatio(ClockCache.plain(size)),
                workload.hitRatio(new RecencyCache(size)),
                workload.hitRatio(new SieveCache(size)),
                Math.max(workload.hitRatio(new QueuesCache(size, 1)), workload.hitRatio(new QueuesCache(size, 2))),
                workload.hitRatio(new OptimalCache(size, workload.references())));
    }

    private static double pool(Workload workload, int size, int sessions) {
        try (var cache = new PoolCache(size, sessions)) {
            return workload.hitRatio(cache);
        }
    }
}
