package io.numabufferpool.server.attach;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Another JVM that runs a main class of the tests; its lines can be waited for. */
final class ChildProcess implements AutoCloseable {
    /** A small JVM is there within a second; a busy machine takes a while. */
    private static final long LINE_SECONDS_MAX = 60;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /** Not when the process ends: a child that it forked may go on writing. */
    private volatile boolean outputEnded;

    private ChildProcess(Process process) {
        this.process = process;
        var reader = new Thread(this::read, "child-output");
        reader.setDaemon(true);
        reader.start();
    }

    static ChildProcess start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), classPath(), main, arguments);
    }

    /** Any other program. */
    static ChildProcess startProgram(Path program, Object... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(program.toString());
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return new ChildProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** As another user, who need not be able to read this user's folders: the classes are copied into one that everyone can. */
    static ChildProcess startAs(int uid, Path copies, Class<?> main, Object... arguments) throws IOException {
        var prefix = List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups");
        return start(prefix, copied(copies), main, arguments);
    }

    private static ChildProcess start(List<String> prefix, String classPath, Class<?> main, Object... arguments)
            throws IOException {
        var command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath,
                main.getName()));
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return new ChildProcess(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(Path.of("/").toFile())
                .start());
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String copied(Path copies) throws IOException {
        var copy = new ArrayList<String>();
        for (var entry : classPath().split(":", -1)) {
            var source = Path.of(entry);
            if (!Files.exists(source)) {
                continue;
            }
            var target = copies.resolve(copy.size() + "-" + source.getFileName());
            copyTree(source, target);
            copy.add(target.toString());
        }
        return String.join(":", copy);
    }

    private static void copyTree(Path source, Path target) throws IOException {
        try (var files = Files.walk(source)) {
            for (var file : (Iterable<Path>) files::iterator) {
                Files.copy(
                        file, target.resolve(source.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("output ended: " + e.getMessage());
        }
        outputEnded = true;
    }

    /** The next line that begins with this word; fails with everything seen if it does not come. */
    String await(String word) throws InterruptedException {
        var seen = new ArrayList<String>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LINE_SECONDS_MAX);
        while (System.nanoTime() < deadline) {
            boolean ended = outputEnded;
            var line = lines.poll(100, TimeUnit.MILLISECONDS);
            if (line != null && line.startsWith(word)) {
                return line;
            }
            if (line != null) {
                seen.add(line);
            }
            if (line == null && ended) {
                break;
            }
        }
        throw new AssertionError("no line \"" + word + "...\" came; the process said:\n" + String.join("\n", seen));
    }

    void tell(String line) throws IOException {
        process.outputWriter().write(line + "\n");
        process.outputWriter().flush();
    }

    /** kill -SIGNAL. */
    void signal(String name) throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -" + name + " failed");
        }
    }

    int exitStatus() throws InterruptedException {
        if (!process.waitFor(LINE_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + process.pid() + " does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
