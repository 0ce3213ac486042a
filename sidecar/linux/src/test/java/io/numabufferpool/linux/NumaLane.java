package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes that need several NUMA nodes in a JVM of their own: here if this machine has them, else through the command
 * in the environment variable {@code NUMAPOOL_NUMA_RUNNER}, which is split at spaces and gets {@code java ...} appended. Each
 * test over there is one here, so that it is counted by its name.
 *
 * <p>Where neither is there, each is skipped by its name, or fails with the system property {@code numapool.lanes.required}.
 *
 * <pre>{@code
 * @Tag("numa")
 * class PlacementNumaLaneTest {
 *     @TestFactory
 *     Stream<DynamicTest> onNumaNodes() {
 *         return NumaLane.run(PlacementOnNumaNodes.class);
 *     }
 * }
 * }</pre>
 */
public final class NumaLane {
    static final String RUNNER = "NUMAPOOL_NUMA_RUNNER";
    static final String REQUIRED = "numapool.lanes.required";

    /** An emulated guest is ten times slower than this machine, and boots first. */
    private static final long RUN_MINUTES_MAX = 30;

    private static final int LAST_LINES = 60;
    private static final int NUMA_NODES_WANTED = 2;

    private static final String CANNOT_RUN = "THE NUMA LANE CANNOT RUN HERE: this machine has fewer than "
            + NUMA_NODES_WANTED + " NUMA nodes with memory, and " + RUNNER
            + " is not set (a command that runs the rest of its line on a Linux with several).";

    private final List<String> classNames;
    private final Optional<List<String>> prefix;

    private NumaLane(List<String> classNames, Optional<List<String>> prefix) {
        this.classNames = classNames;
        this.prefix = prefix;
    }

    /** The tests of these classes, whose names must not match those that Surefire runs by itself. */
    public static Stream<DynamicTest> run(Class<?>... classes) {
        var names = Arrays.stream(classes).map(Class::getName).toList();
        return new NumaLane(names, prefix()).tests();
    }

    /** For tests of this class: the classes are run through that command, or skipped where there is none. */
    static Stream<DynamicTest> run(Optional<List<String>> prefix, Class<?>... classes) {
        return new NumaLane(Arrays.stream(classes).map(Class::getName).toList(), prefix).tests();
    }

    /** What to put before the command; empty where there is no place with several NUMA nodes. */
    private static Optional<List<String>> prefix() {
        long numaNodes = new NumaTopologyReader()
                .read().numaNodes().stream()
                        .filter(node -> node.memoryBytes() > 0)
                        .count();
        if (numaNodes >= NUMA_NODES_WANTED) {
            return Optional.of(List.of());
        }
        var runner = System.getenv(RUNNER);
        return runner == null || runner.isBlank() ? Optional.empty() : Optional.of(words(runner));
    }

    static List<String> words(String runner) {
        return Arrays.asList(runner.strip().split(" +", -1));
    }

    private Stream<DynamicTest> tests() {
        if (prefix.isEmpty()) {
            System.err.println(CANNOT_RUN);
            return expectedNames().stream().map(name -> DynamicTest.dynamicTest(name, NumaLane::cannotRun));
        }
        return runThere(prefix.get()).stream().map(NumaLane::test);
    }

    private List<String> expectedNames() {
        var plan = LauncherFactory.create().discover(GuestTests.request(classNames));
        return plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .filter(TestIdentifier::isTest)
                .map(test -> GuestTests.name(test, plan))
                .sorted()
                .toList();
    }

    private static void cannotRun() {
        if (Boolean.getBoolean(REQUIRED)) {
            fail(CANNOT_RUN);
        }
        Assumptions.abort(CANNOT_RUN);
    }

    private static DynamicTest test(GuestResult result) {
        return DynamicTest.dynamicTest(result.name(), () -> {
            switch (result.status()) {
                case FAILED -> fail(result.message());
                case SKIPPED -> Assumptions.abort(result.message());
                case PASSED, COMPLETE -> {}
            }
        });
    }

    private List<GuestResult> runThere(List<String> commandPrefix) {
        var command = new ArrayList<>(commandPrefix);
        command.addAll(ChildJvm.command(List.of(), GuestTests.class));
        command.addAll(classNames);
        var results = new ArrayList<GuestResult>();
        Deque<String> last = new ArrayDeque<>();
        int status;
        try {
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            var watch = Thread.ofVirtual().start(() -> endWhenLate(process));
            try (var lines = process.inputReader()) {
                readAll(lines, results, last);
            }
            status = process.waitFor();
            watch.interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException("starting " + String.join(" ", commandPrefix), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the numa lane ran", e);
        }
        return checked(results, status, String.join("\n", last));
    }

    /** What a test prints there is printed here, as it comes. */
    private static void readAll(BufferedReader lines, List<GuestResult> results, Deque<String> last)
            throws IOException {
        // Ends with the process, which endWhenLate limits.
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var result = GuestResult.parse(line);
            if (result.isPresent()) {
                results.add(result.get());
                continue;
            }
            if (line.isBlank()) {
                continue;
            }
            System.out.println("  | " + line);
            last.add(line);
            if (last.size() > LAST_LINES) {
                last.remove();
            }
        }
    }

    private static void endWhenLate(Process process) {
        try {
            if (!process.waitFor(RUN_MINUTES_MAX, TimeUnit.MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroy);
                process.destroy();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** One more failed test where the run itself failed, so that a guest that died is not a lane that passed. */
    private static List<GuestResult> checked(List<GuestResult> results, int status, String output) {
        var tests = results.stream()
                .filter(result -> result.status() != GuestResult.Status.COMPLETE)
                .toList();
        boolean complete = results.stream()
                .anyMatch(result -> result.status() == GuestResult.Status.COMPLETE
                        && result.name().equals(Integer.toString(tests.size())));
        if (complete && status == 0 && !tests.isEmpty()) {
            return tests;
        }
        var why = "The run ended with status " + status + " after " + tests.size() + " tests"
                + (complete ? "" : ", not all of them") + ". Its last lines:\n" + output;
        var all = new ArrayList<>(tests);
        all.add(new GuestResult(GuestResult.Status.FAILED, "theRunItselfEndsWell", why));
        return all;
    }
}
