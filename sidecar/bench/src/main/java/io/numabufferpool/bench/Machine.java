package io.numabufferpool.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where and on what a figure was measured, in words. */
final class Machine {
    private Machine() {}

    static String describe() throws IOException, InterruptedException {
        var model = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
        var load = Files.readString(Path.of("/proc/loadavg"));
        return Runtime.getRuntime().availableProcessors() + " x " + model + ", Linux "
                + System.getProperty("os.version").replaceAll("[^0-9.].*", "")
                + ", load " + load.substring(0, load.indexOf(' ')) + ", commit " + commit();
    }

    /** Of the working folder's repository; a dash where it has none. */
    private static String commit() throws IOException, InterruptedException {
        var git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var answer = new String(git.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
        return git.waitFor() == 0 ? answer.strip() : "-";
    }
}
