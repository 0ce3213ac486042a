package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The test client in C, compiled with the header of {@code sidecar/client-c} and the sanitizers. */
final class CompiledClient {
    private static final Path CLIENT_C = Path.of("../client-c");

    private static final List<String> COMMAND = List.of(
            "gcc",
            "-std=c11",
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all");

    private CompiledClient() {}

    /** The program; skips the test, loudly, where there is no compiler. */
    static Path in(Path folder) throws IOException, InterruptedException {
        assumeThat(hasCompiler())
                .as("gcc is not installed: the client in C is NOT tested")
                .isTrue();
        var program = folder.resolve("client");
        var command = new ArrayList<>(COMMAND);
        command.addAll(List.of("-I" + CLIENT_C, "-o", program.toString()));
        command.add(CLIENT_C.resolve("src/test/c/client.c").toString());
        var compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(said).isZero();
        return program;
    }

    private static boolean hasCompiler() {
        return List.of(System.getenv("PATH").split(":", -1)).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc")));
    }
}
