package io.numabufferpool.server.segment;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** {@code where_pages_lie.c}, compiled and running: it shares no code with the product, not even a language. */
final class IndependentReader implements AutoCloseable {
    /** An emulated guest compiles a small program within seconds. */
    private static final long SECONDS_MAX = 120;

    private final Path folder;
    private final Process process;
    private final Writer questions;
    private final BufferedReader answers;

    private IndependentReader(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
        this.questions = process.outputWriter();
        this.answers = process.inputReader();
    }

    static IndependentReader start() throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("numapool-reader");
        var source = folder.resolve("where_pages_lie.c");
        try (var text = IndependentReader.class.getResourceAsStream("/segment/where_pages_lie.c")) {
            Files.copy(Objects.requireNonNull(text, "where_pages_lie.c"), source);
        }
        var program = folder.resolve("where_pages_lie");
        var compiler = new ProcessBuilder("cc", "-O1", "-o", program.toString(), source.toString())
                .inheritIO()
                .start();
        if (!compiler.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            throw new IOException("cc could not compile " + source);
        }
        return new IndependentReader(
                folder,
                new ProcessBuilder(program.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /** Bytes by node of that part of the file. */
    SortedMap<Integer, Long> read(Path file, long offsetBytes, long bytes) throws IOException {
        questions.write(file + " " + offsetBytes + " " + bytes + "\n");
        questions.flush();
        var answer = answers.readLine();
        if (answer == null || answer.startsWith("error")) {
            throw new IOException("where_pages_lie answered: " + answer);
        }
        var placed = new TreeMap<Integer, Long>();
        for (var word : answer.isEmpty() ? new String[0] : answer.split(" ", -1)) {
            int colon = word.indexOf(':');
            placed.put(Integer.valueOf(word.substring(0, colon)), Long.valueOf(word.substring(colon + 1)));
        }
        return placed;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
