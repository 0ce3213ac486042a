package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.server.Numapool;
import io.numabufferpool.server.report.StatusDocument;
import io.numabufferpool.server.report.StatusQuestion;
import io.numabufferpool.server.report.VerificationDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code numapool} in a process of its own, as a person starts it. */
final class ServeProcess implements AutoCloseable {
    /** A busy machine may take long; a program that is stuck takes longer. */
    private static final long SECONDS_MAX = 90;

    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Process process;
    private final Path log;

    private ServeProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static ServeProcess start(Path folder, String... arguments) throws IOException {
        return startAfter(List.of(), folder, arguments);
    }

    /** In that cgroup from its first instruction on. */
    static ServeProcess startIn(Path cgroup, Path folder, String... arguments) throws IOException {
        var enter = "echo $$ > " + cgroup.resolve("cgroup.procs") + " && exec \"$@\"";
        return startAfter(List.of("sh", "-c", enter, "sh"), folder, arguments);
    }

    private static ServeProcess startAfter(List<String> prefix, Path folder, String... arguments) throws IOException {
        var command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Numapool.class.getName()));
        command.addAll(List.of(arguments));
        var log = Files.createTempFile(folder, "log", ".txt");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new ServeProcess(process, log);
    }

    /** Waits until its output matches, and returns the match. */
    Matcher await(String pattern) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        var compiled = Pattern.compile(pattern);
        while (System.nanoTime() < until) {
            var matcher = compiled.matcher(output());
            if (matcher.find()) {
                return matcher;
            }
            boolean alive = process.isAlive();
            Thread.sleep(50);
            if (!alive && !compiled.matcher(output()).find()) {
                break;
            }
        }
        assertThat(output()).containsPattern(pattern);
        throw new AssertionError("not reached");
    }

    String output() throws IOException {
        return Files.readString(log);
    }

    StatusDocument status(Path attachFolder) throws IOException {
        return JSON.readValue(StatusQuestion.ask(new JnaLinux(), attachFolder), StatusDocument.class);
    }

    VerificationDocument verification(Path attachFolder) throws IOException {
        return JSON.readValue(StatusQuestion.askVerification(new JnaLinux(), attachFolder), VerificationDocument.class);
    }

    void terminate() {
        process.destroy();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    int exitStatus() throws InterruptedException {
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS))
                .as("it ends within %d s", SECONDS_MAX)
                .isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
