package io.numabufferpool.adopt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The C sources by themselves: they compile everywhere they should, take nothing from a C library, and parse what they are given. */
class AdoptSourcesTest {
    private static final Path ARM64_HEADER = Path.of("/usr/include/asm-generic/unistd.h");

    @TempDir
    private Path folder;

    private Bench bench;

    @BeforeEach
    void findTheSources() {
        bench = new Bench(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc", "clang"})
    void everyWarningOfEitherCompilerIsAnError(String compiler) {
        assumeTrue(Bench.has(compiler), "NOT COMPILED BY " + compiler + " HERE: it is not installed");

        bench.buildLibrary(compiler);

        assertThat(bench.library()).isRegularFile();
    }

    @Test
    void libraryNeedsNothingButErrno() {
        assumeTrue(Bench.has("nm"), "needs nm (binutils)");
        bench.buildLibrary("cc");

        var undefined = Bench.runPlain(
                Map.of(),
                List.of("nm", "-D", "--undefined-only", bench.library().toString()));

        assertThat(undefined.output().strip()).isEqualTo("U __errno_location");
    }

    @Test
    void sourcesCompileForArm64() throws Exception {
        assumeTrue(Bench.has("clang"), "NOT COMPILED FOR ARM64 HERE: clang is not installed");
        try (var files = Files.list(bench.sources().resolve("main/c"))) {
            for (var file : files.filter(name -> name.toString().endsWith(".c")).toList()) {
                var ended = Bench.runPlain(
                        Map.of(),
                        List.of(
                                "clang",
                                "--target=aarch64-linux-gnu",
                                "-std=c11",
                                "-ffreestanding",
                                "-fPIC",
                                "-Wall",
                                "-Wextra",
                                "-Werror",
                                "-c",
                                file.toString(),
                                "-o",
                                folder.resolve("object").toString()));

                assertThat(ended).isEqualTo(new Bench.Ended(0, ""));
            }
        }
    }

    @Test
    void systemCallsHaveTheKernelsNumbersOnX86() {
        assumeTrue("amd64".equals(System.getProperty("os.arch")), "the headers here are of another architecture");

        bench.compile("cc", "numbers_check", "-c");
    }

    @Test
    void systemCallsHaveTheKernelsNumbersOnArm64() {
        assumeTrue(Files.exists(ARM64_HEADER), "needs " + ARM64_HEADER + " (linux-libc-dev)");

        bench.compile("cc", "numbers_check", "-c", "-DCHECK_ARM64");
    }

    @Test
    void environmentIsUnderstoodOrRefusedWhateverStandsInIt() {
        int seed = new Random().nextInt(Integer.MAX_VALUE);
        var program = bench.compile(
                "cc",
                "decision_check",
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
                bench.sources().resolve("main/c/decision.c").toString(),
                bench.sources().resolve("main/c/text.c").toString());

        var ended = Bench.runPlain(Map.of(), List.of(program.toString(), Integer.toString(seed)));

        assertThat(ended).as("seed %d", seed).isEqualTo(new Bench.Ended(0, "ok\n"));
    }
}
