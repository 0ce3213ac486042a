package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program of the test classes in a JVM of its own: for what changes a whole process, or may end it. */
public final class ChildJvm {
    /** A small program needs a second or two; a busy machine several times that. */
    private static final long SECONDS_MAX = 120;

    private ChildJvm() {}

    /** How it ended: the exit status and everything it printed. */
    public record Ended(int status, String output) {}

    /** The command line, with the flags that make a JVM start fast. */
    static List<String> command(List<String> jvmArguments, Class<?> program) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", classPath(), program.getName()));
        return command;
    }

    /** Runs it to its end; one that does not end is ended, and fails. */
    public static Ended run(
            List<String> jvmArguments, Map<String, String> environment, Class<?> program, String... arguments) {
        var command = command(jvmArguments, program);
        command.addAll(Arrays.asList(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            var _ = process.onExit().orTimeout(SECONDS_MAX, TimeUnit.SECONDS).whenComplete((_, late) -> {
                if (late != null) {
                    process.destroyForcibly();
                }
            });
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException("starting " + program.getName(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program.getName() + " ran", e);
        }
    }

    /** Surefire starts its JVM with a jar that only names the class path; it keeps the path itself in a property. */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
