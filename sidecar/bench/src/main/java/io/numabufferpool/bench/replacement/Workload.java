package io.numabufferpool.bench.replacement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Named references to blocks. The made ones are the same in every run. */
record Workload(String name, long[] references) {
    private static final int BLOCKS = 20_000;
    private static final int REFERENCES = 300_000;
    private static final int PHASE = 10_000;

    /** The made ones: skewed, skewed with scans in between, with a working set that moves, and a loop. */
    static List<Workload> made() {
        return List.of(
                new Workload("zipf 0.8", zipf(0.8, 1)),
                new Workload("zipf 0.9", zipf(0.9, 1)),
                new Workload("zipf 0.99", zipf(0.99, 1)),
                new Workload("zipf 0.9 and scans", scans()),
                new Workload("zipf 0.99 that drifts", drift()),
                new Workload(
                        "loop of 2,000",
                        LongStream.range(0, REFERENCES / 3).map(i -> i % 2_000).toArray()));
    }

    /** Every file NAME.txt of a folder: a block number a line. */
    static List<Workload> read(Path folder) throws IOException {
        var workloads = new ArrayList<Workload>();
        try (var files = Files.list(folder)) {
            for (var file : files.filter(path -> path.toString().endsWith(".txt"))
                    .sorted()
                    .toList()) {
                try (var lines = Files.lines(file)) {
                    long[] blocks = lines.map(String::strip)
                            .filter(line -> !line.isEmpty() && Character.isDigit(line.charAt(0)))
                            .mapToLong(Long::parseLong)
                            .toArray();
                    workloads.add(new Workload(file.getFileName().toString().replace(".txt", ""), blocks));
                }
            }
        }
        return workloads;
    }

    /** A share of its distinct blocks, at least 16. */
    int cacheSize(double share) {
        return Math.max(16, (int) (share * Arrays.stream(references).distinct().count()));
    }

    /** Hits in percent of the references. */
    double hitRatio(BlockCache cache) {
        long hits = Arrays.stream(references).filter(cache::reference).count();
        return 100.0 * hits / references.length;
    }

    private static long[] zipf(double exponent, long seed) {
        var cumulative = new double[BLOCKS];
        double sum = 0;
        for (int i = 0; i < BLOCKS; i++) {
            sum += 1 / Math.pow(i + 1, exponent);
            cumulative[i] = sum;
        }
        var random = new SplittableRandom(seed);
        double all = sum;
        return LongStream.range(0, REFERENCES)
                .map(i -> {
                    int found = Arrays.binarySearch(cumulative, random.nextDouble() * all);
                    return found < 0 ? -found - 1 : found;
                })
                .toArray();
    }

    private static long[] scans() {
        long[] skewed = zipf(0.9, 2);
        var mixed = LongStream.builder();
        for (int i = 0; i < skewed.length; i++) {
            mixed.add(skewed[i]);
            if (i % PHASE == PHASE - 1) {
                long first = (1 << 20) + i / PHASE % 2 * 100_000L;
                LongStream.range(first, first + PHASE / 2).forEach(mixed::add);
            }
        }
        return mixed.build().toArray();
    }

    private static long[] drift() {
        long[] skewed = zipf(0.99, 3);
        for (int i = 0; i < skewed.length; i++) {
            skewed[i] = (skewed[i] + i / PHASE * 500L) % BLOCKS;
        }
        return skewed;
    }
}
