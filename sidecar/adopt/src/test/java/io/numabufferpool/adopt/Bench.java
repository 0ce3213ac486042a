package io.numabufferpool.adopt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A folder with the library and programs compiled to meet it, and a folder for its reports. */
final class Bench {
    /** The library compiles within two seconds; an emulated guest is ten times slower. */
    private static final long SECONDS_MAX = 120;

    private static final String NO_COMPILER =
            "THE LIBRARY FOR UNMODIFIED PROGRAMS IS NOT TESTED HERE: no C compiler (cc); install gcc or clang.";

    private final Path folder;
    private final Path sources;
    private final Map<String, String> variables = new LinkedHashMap<>();

    Bench(Path folder) {
        this.folder = folder;
        this.sources = Path.of("src").toAbsolutePath(); // Surefire runs in the module, and so does the numa lane
        Assumptions.assumeTrue(has("cc"), NO_COMPILER);
        forget();
    }

    /** How a program ended. */
    record Ended(int status, String output) {}

    static boolean has(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":", -1))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    /** Only NUMA node 0 and this bench's folder for reports from now on. */
    Bench forget() {
        variables.clear();
        variables.put("LD_PRELOAD", library().toString());
        return set("NODES", "0").set("REPORT_DIR", reportFolder().toString());
    }

    /** One NUMAPOOL_ADOPT_ variable. */
    Bench set(String name, String value) {
        variables.put("NUMAPOOL_ADOPT_" + name, value);
        return this;
    }

    Bench without(String name) {
        variables.remove(name);
        return this;
    }

    Path library() {
        return folder.resolve("libnumapool_adopt.so");
    }

    Path reportFolder() {
        return folder.resolve("reports");
    }

    Path sources() {
        return sources;
    }

    /** The library, built as Maven builds it but by this compiler. */
    Bench buildLibrary(String compiler) {
        var command = List.of(
                sources.resolve("build/build-library").toString(),
                sources.resolve("main/c").toString(),
                library().toString());
        require(runPlain(Map.of("CC", compiler), command));
        return this;
    }

    /** Compiles a program of src/test/c. */
    Path compile(String compiler, String name, String... more) {
        var program = folder.resolve(name + "-" + compiler);
        var command =
                new ArrayList<>(List.of(compiler, "-Wall", "-Wextra", "-Werror", "-I" + sources.resolve("main/c")));
        command.addAll(List.of(
                "-o",
                program.toString(),
                sources.resolve("test/c/" + name + ".c").toString()));
        command.addAll(List.of(more));
        require(runPlain(Map.of(), command));
        return program;
    }

    private static void require(Ended ended) {
        if (ended.status() != 0) {
            throw new IllegalStateException("status " + ended.status() + ": " + ended.output());
        }
    }

    /** Runs a program with the library, with an empty folder for its reports. */
    Ended run(Object... command) {
        clear();
        return runPlain(variables, Stream.of(command).map(String::valueOf).toList());
    }

    static Ended runPlain(Map<String, String> more, List<String> command) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(more);
            var process = builder.start();
            var _ = process.onExit().orTimeout(SECONDS_MAX, TimeUnit.SECONDS).whenComplete((_, late) -> {
                if (late != null) {
                    process.destroyForcibly();
                }
            });
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException("starting " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + command + " ran", e);
        }
    }

    /** What the library wrote, each file's keys and values, in the order of the file names. */
    List<Map<String, String>> reports() {
        try (var files = Files.list(reportFolder())) {
            return files.sorted().map(Bench::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> read(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split("=", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void clear() {
        try {
            Files.createDirectories(reportFolder());
            try (var files = Files.list(reportFolder())) {
                for (var file : files.toList()) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
