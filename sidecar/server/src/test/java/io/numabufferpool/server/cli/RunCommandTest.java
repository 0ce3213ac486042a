package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.numabufferpool.server.adopt.AdoptLibrary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code numapool run} as a process on this machine. */
class RunCommandTest {
    /** A JVM and a small program; a busy machine needs several times their second. */
    private static final long SECONDS_MAX = 60;

    @TempDir
    private Path folder;

    private record Ended(int status, String out, String err) {}

    @BeforeEach
    void requireTheLibrary() {
        assumeThat(AdoptLibrary.class.getResource(
                        "/numapool-adopt/" + System.getProperty("os.arch") + "/libnumapool_adopt.so"))
                .as("NUMAPOOL RUN IS NOT TESTED HERE: libnumapool_adopt.so was not built, as there is no C compiler")
                .isNotNull();
    }

    private Process start(String... words) throws Exception {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.addAll(List.of("io.numabufferpool.server.Numapool", "run"));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("LD_PRELOAD", "");
        return builder.start();
    }

    private Ended end(Process process) throws Exception {
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Ended(process.waitFor(), read("out"), read("err"));
    }

    private String read(String name) throws Exception {
        return Files.readString(folder.resolve(name), StandardCharsets.UTF_8);
    }

    private Ended run(String... words) throws Exception {
        return end(start(words));
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 9,9", "kill -9 $$,137", "kill -TERM $$,143"})
    void statusIsTheProgramsOwn(String script, int status) throws Exception {
        assertThat(run("--", "sh", "-c", script).status()).isEqualTo(status);
    }

    @Test
    void programHasItsOwnInputsAndOutputsAndTheTableIsBehindThem() throws Exception {
        var ended = run("--", "sh", "-c", "echo to out; echo to err >&2; echo \"$@\"", "sh", "--nodes", "a b");

        assertThat(ended.out()).isEqualTo("to out\n--nodes a b\n");
        assertThat(ended.err()).startsWith("to err\n").contains("No segment of 64 MiB or more");
    }

    @Test
    void segmentOfAJavaProgramIsShownWithItsBytes() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var program = Files.writeString(folder.resolve("Quiet.java"), "void main() { IO.println(\"done\"); }");

        var ended = run(
                "--nodes",
                "all",
                "--kinds",
                "Private",
                "--huge-pages",
                "Never",
                "--",
                java,
                "-Xms128m",
                "-Xmx128m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                program.toString());

        assertThat(ended.status()).isZero();
        assertThat(ended.out()).isEqualTo("done\n");
        assertThat(ended.err()).containsPattern("java +[0-9]+  Private +PolicyOnly");
    }

    @Test
    void jsonHasWhatTheTableWouldShow() throws Exception {
        var file = folder.resolve("run.json");

        var ended = run("--json", file.toString(), "--", "true");

        assertThat(ended).isEqualTo(new Ended(0, "", ""));
        assertThat(file).content().contains("\"reports\" : [ ]");
    }

    @Test
    void signalsAreHandedOnAsTheyAre() throws Exception {
        // Not INT or HUP: whoever started this test in the background may have ignored them, and a shell traps no such
        // signal.
        var script = "trap 'echo usr2' USR2; trap 'echo term; exit 5' TERM; echo ready; while :; do sleep 0.1; done";
        var process = start("--", "sh", "-c", script);
        awaitOutput("ready\n");

        send("USR2", process);
        awaitOutput("ready\nusr2\n");
        send("TERM", process);

        assertThat(end(process).status()).isEqualTo(5);
        assertThat(read("out")).isEqualTo("ready\nusr2\nterm\n");
    }

    private void awaitOutput(String text) {
        org.awaitility.Awaitility.await()
                .atMost(SECONDS_MAX, TimeUnit.SECONDS)
                .until(() -> read("out").equals(text));
    }

    private static void send(String signal, Process process) throws Exception {
        new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + process.pid())
                .start()
                .waitFor();
    }

    @ParameterizedTest
    @CsvSource({
        "--nodes=0-,2,names no NUMA nodes",
        "--nodes=4095,1,has no NUMA node 4095",
        "--min-size=64X,2,--min-size",
        "--policy=Spread,2,Spread",
        "--library=/nowhere,1,--library /nowhere cannot be read"
    })
    void wrongWordsAreNamedAndNothingIsStarted(String option, int status, String said) throws Exception {
        var ended = run(option, "--", "echo", "started");

        assertThat(ended.status()).isEqualTo(status);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains(said);
    }

    @Test
    void commandThatIsNotThereIsNamed() throws Exception {
        var ended = run("--", "/nowhere/program");

        assertThat(ended.status()).isEqualTo(127);
        assertThat(ended.err()).contains("cannot start /nowhere/program");
    }
}
