package io.numabufferpool.clientc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The header is what the layout and its parts say today, and both compilers take it without a warning. */
class HeaderTest {
    private static final Path HEADER = Path.of("numa_buffer_pool.h");
    private static final Path LAYOUT_CHECK = Path.of("src/test/c/layout_check.c");

    private static final String REFRESH =
            "refresh it: ./mvnw test -pl sidecar/client-c -am -Dtest=HeaderTest -Dsurefire.failIfNoSpecifiedTests=false"
                    + " -Dnumapool.render=true";

    @TempDir
    private Path folder;

    @Test
    void theHeaderIsWhatTheLayoutSays() throws IOException {
        check(HEADER, HeaderText.header());
    }

    @Test
    void theLayoutCheckNamesEveryField() throws IOException {
        check(LAYOUT_CHECK, HeaderText.layoutCheck());
    }

    private static void check(Path file, String rendered) throws IOException {
        if (Boolean.getBoolean("numapool.render")) {
            Files.writeString(file, rendered);
        }

        assertThat(rendered).as(REFRESH).isEqualTo(Files.readString(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc", "clang", "musl-gcc"})
    void aCompilerTakesHeaderCheckAndExampleWithoutAWarning(String compiler) throws Exception {
        assumeThat(isThere(compiler))
                .as("%s is not installed: the C header is NOT checked with it", compiler)
                .isTrue();

        for (var source : List.of(LAYOUT_CHECK, Path.of("examples/scan.c"))) {
            // The kernel's headers are no system headers to musl-gcc.
            var command = new ArrayList<>(List.of(compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I."));
            if (compiler.startsWith("musl")) {
                command.addAll(List.of("-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"));
            }
            command.addAll(List.of("-o", folder.resolve("program").toString(), source.toString()));
            assertThat(run(command)).isEmpty();
        }
    }

    private static boolean isThere(String compiler) throws Exception {
        try {
            run(List.of(compiler, "--version"));
            return true;
        } catch (IOException notFound) {
            return false;
        }
    }

    /** What it printed; fails if it failed. */
    private static String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output;
    }
}
