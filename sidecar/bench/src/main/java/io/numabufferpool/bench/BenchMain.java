package io.numabufferpool.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.numabufferpool.bench.replacement.ReplacementTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code BenchMain NAME FOLDER [TRACES]}: runs the figures whose name is NAME or begins with NAME and a dot ({@code all}: every one) and
 * prints one JSON line for each, which RESULTS.md in the folder shows from then on. Every figure gets a segment of its own and a process of its own, which attaches to it.
 */
public final class BenchMain {
    private static final String ATTACHED = "--attached";

    /** Hit ratios instead of times, in a table of their own. */
    private static final String REPLACEMENT = "replacement";

    private static final JsonMapper JSON = new JsonMapper();

    /** 1 GiB of 8 KiB pages: far beyond the caches, and small enough for a laptop. */
    private static final int HIT_PAGES = 131_072;

    private static final int MISS_PAGES = 16_384;
    private static final int SLOTS = 1024;

    private record Entry(int pages, Benchmark benchmark) {}

    private static final Map<String, Entry> FIGURES = figures();

    private BenchMain() {}

    private static Map<String, Entry> figures() {
        var figures = new LinkedHashMap<String, Entry>();
        figures.put("hit.touch8", new Entry(HIT_PAGES, HitBenchmarks::touch8));
        figures.put("hit.chain", new Entry(HIT_PAGES, HitBenchmarks::chain));
        figures.put("hit.sum8k", new Entry(HIT_PAGES, HitBenchmarks::sum8k));
        figures.put("hit.batch8", new Entry(HIT_PAGES, HitBenchmarks::batch8));
        figures.put("hit.touch8batch8", new Entry(HIT_PAGES, HitBenchmarks::touchBatch));
        figures.put("pin.contended", new Entry(MISS_PAGES, ContendedBenchmark::run));
        figures.put("miss.admit", new Entry(MISS_PAGES, MissBenchmarks::admit));
        figures.put("victim.select", new Entry(MISS_PAGES, MissBenchmarks::victim));
        return figures;
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 3 && args[0].equals(ATTACHED)) {
            runAttached(args[1], Path.of(args[2]));
            return;
        }
        if (args.length >= 2 && args[0].equals(REPLACEMENT)) {
            ReplacementTable.write(Path.of(args[1]), args.length > 2 ? args[2] : "");
            return;
        }
        var names = args.length >= 2 ? chosen(args[0]) : List.<String>of();
        if (names.isEmpty()) {
            System.err.println("no benchmark is named " + (args.length == 0 ? "so" : args[0])
                    + "; say -Dbench=all, a group such as hit, " + REPLACEMENT + ", or one of " + FIGURES.keySet());
            System.exit(2);
        }
        for (var name : names) {
            new ResultsPage(Path.of(args[1])).add(runInOwnProcess(name), Machine.describe());
        }
    }

    private static List<String> chosen(String wanted) {
        return FIGURES.keySet().stream()
                .filter(name -> wanted.equals("all") || name.equals(wanted) || name.startsWith(wanted + "."))
                .toList();
    }

    private static String runInOwnProcess(String name) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory(Path.of("/dev/shm"), "numapool-bench-");
        try (var segment = BenchSegment.create(folder, entry(name).pages(), SLOTS)) {
            segment.chain();
            var process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-classpath",
                            System.getProperty("java.class.path"),
                            BenchMain.class.getName(),
                            ATTACHED,
                            name,
                            folder.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IOException(
                        "benchmark " + name + " ended with status " + process.exitValue() + "; see above");
            }
            System.out.println(line);
            return line;
        } finally {
            Files.deleteIfExists(folder.resolve("control"));
            Files.deleteIfExists(folder.resolve("buffers"));
            Files.delete(folder);
        }
    }

    private static Entry entry(String name) {
        var entry = FIGURES.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("no benchmark is named " + name + "; there are " + FIGURES.keySet());
        }
        return entry;
    }

    private static void runAttached(String name, Path folder) throws Exception {
        try (var segment = BenchSegment.open(folder)) {
            System.out.println(line(entry(name).benchmark().run(segment)));
        }
    }

    private static String line(Figure figure) throws JsonProcessingException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("figure", figure.figure());
        fields.put("value", figure.value());
        fields.put("unit", figure.unit());
        fields.put("peer", figure.peer());
        fields.put("goal", figure.goal());
        fields.put("spread", figure.spread());
        fields.put("note", figure.note());
        return JSON.writeValueAsString(fields);
    }
}
