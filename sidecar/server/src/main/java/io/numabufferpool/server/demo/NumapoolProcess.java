package io.numabufferpool.server.demo;

import io.numabufferpool.server.Numapool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code numapool WORDS} as a process of its own, from the same classes as this one; its output goes to a file. */
final class NumapoolProcess implements AutoCloseable {
    /** A killed process is gone at once; this bounds the wait for the kernel. */
    private static final long KILL_SECONDS_MAX = 5;

    private final String words;
    private final Path output;
    private final Process process;

    private NumapoolProcess(String words, Path output, Process process) {
        this.words = words;
        this.output = output;
        this.process = process;
    }

    static NumapoolProcess start(Path output, List<String> words) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+UseSerialGC");
        command.add("--enable-native-access=ALL-UNNAMED");
        for (var name : System.getProperties().stringPropertyNames()) {
            // An image tells JNA where its library is by such properties.
            if (name.startsWith("jna.")) {
                command.add("-D" + name + "=" + System.getProperty(name));
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Numapool.class.getName()));
        command.addAll(words);
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new NumapoolProcess("numapool " + String.join(" ", words), output, process);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM. */
    void stop() {
        process.destroy();
    }

    /** Waits for the end, which must be a good one within this time. */
    void requireSuccess(Duration timeMax) throws InterruptedException {
        if (!process.waitFor(timeMax.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("did not end within " + timeMax.toSeconds() + " s");
        }
        if (process.exitValue() != 0) {
            throw failed("ended with status " + process.exitValue());
        }
    }

    DemoFailed failed(String what) {
        return new DemoFailed(words + " " + what + ". It said:\n" + String.join("\n", output()));
    }

    /** The lines so far. */
    List<String> output() {
        try {
            return Files.readAllLines(output, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return List.of("(" + output + " cannot be read: " + e + ")");
        }
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(KILL_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
