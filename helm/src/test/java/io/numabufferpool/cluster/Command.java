package io.numabufferpool.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of this machine, run to its end. */
final class Command {
    private Command() {}

    /** What a program printed on both streams, and its exit status. */
    record Result(int status, String output) {
        /** The output of a command that had to succeed. */
        String orThrow() {
            if (status != 0) {
                throw new IllegalStateException("exit status " + status + ": " + output);
            }
            return output;
        }
    }

    static Result run(Duration atMost, List<String> words) {
        try {
            var output = Files.createTempFile("numapool-command", ".txt");
            var process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            var ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            var printed = Files.readString(output);
            Files.delete(output);
            if (!ended) {
                throw new IllegalStateException(words + " did not end within " + atMost + ": " + printed);
            }
            return new Result(process.exitValue(), printed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(words + " was interrupted", e);
        }
    }
}
