package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.numabufferpool.linux.TmpfsFolder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The protocol's models under {@code src/test/spin}, searched exhaustively, and mutants that must fail. Needs {@code spin}
 * and {@code gcc} (Debian packages of these names); {@code -Dnumapool.models=all} searches the larger state spaces too.
 */
class SpinModelTest {
    private static final Path MODELS = Path.of("src/test/spin");

    /** The largest takes half a minute on an idle core; a machine that is busy gets ten times that. */
    private static final long MINUTES_MAX = 5;

    /** Before each: a class that is skipped as a whole is counted by nobody. */
    @BeforeEach
    void needsSpinAndGcc() {
        assumeTrue(isOnPath("spin") && isOnPath("gcc"), "the models need the Debian packages spin and gcc");
    }

    @Test
    void noPageIsLostNoPinIsMissedAndNobodySleepsForEver() throws Exception {
        assertThat(safety("-DNK=2")).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-DNK=3", "-DNK=2 -DKILL"})
    void theLargerStateSpacesHoldAsWell(String options) throws Exception {
        assumeTrue("all".equals(System.getProperty("numapool.models")), "only with -Dnumapool.models=all");

        assertThat(safety(options.split(" "))).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOFENCE_PIN",
                "NOFENCE_SWEEP",
                "NO_TAG_CHECK",
                "TAG_FIRST",
                "PLAIN_COMMIT",
                "PLAIN_LOAD",
                "TAG_EARLY",
                "NO_WAKE_UNMAP",
                "NO_WAKE_LOAD",
                "CHECK_OUT",
                "LATE_PIN"
            })
    void eachStepIsNeeded(String mutant) throws Exception {
        assertThat(safety("-D" + mutant)).contains("errors: 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NO_BL", "FREE_FIRST", "NO_RWAKE"})
    void eachStepOfTheReaperIsNeeded(String mutant) throws Exception {
        assertThat(safety("-DNK=2", "-DKILL", "-D" + mutant)).contains("errors: 1");
    }

    @Test
    void aPinnerGetsItsPageHoweverOftenItIsSwept() throws Exception {
        assertThat(progress()).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"STEP_BACK", "NO_VERSION"})
    void withoutTheRuleForVersionsBothStepBackForEver(String mutant) throws Exception {
        assertThat(progress("-D" + mutant)).contains("errors: 1");
    }

    @Test
    void noReaderTouchesMemoryThatWasTakenAway() throws Exception {
        assertThat(retirement()).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOFENCE_PIN", "NOFENCE_READ", "SCAN_FIRST", "NO_WAIT", "EPOCH_FIRST", "PLAIN_COMMIT"})
    void eachStepOfARetirementIsNeeded(String mutant) throws Exception {
        assertThat(retirement("-D" + mutant)).contains("errors: 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "B", "C", "D", "E", "F", "A KILL", "E KILL"})
    void contentIsReadWholeWrittenByOneAndNeverLost(String scenario) throws Exception {
        assertThat(contentLock(scenario)).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"C KILL", "D KILL", "F KILL"})
    void theLargerStateSpacesOfTheContentLockHoldAsWell(String scenario) throws Exception {
        assumeTrue("all".equals(System.getProperty("numapool.models")), "only with -Dnumapool.models=all");

        assertThat(contentLock(scenario)).contains("errors: 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A NOFENCE_READ",
                "A NOFENCE_RELEASE",
                "A NO_SCAN",
                "A SCAN_FIRST",
                "A PLAIN_END",
                "A END_EARLY",
                "A WRITE_FIRST",
                "A NO_WAKE_END",
                "B NO_FLUSHER",
                "C NO_BUMP",
                "C VERSION_ONLY",
                "C BYTES_AFTER",
                "D SWEEP_WRITING",
                "E NO_BUMP",
                "E CLEAR_BLIND",
                "E COPY_BLIND",
                "A KILL NO_TORN",
                "A KILL NO_RWAKE",
                "E KILL NO_FLUSHER_CLEAR"
            })
    void eachStepOfTheContentLockIsNeeded(String mutant) throws Exception {
        assertThat(contentLock(mutant)).contains("errors: 1");
    }

    /** {@code scenario}: names to define, with blanks between them. */
    private static String contentLock(String scenario) throws Exception {
        return search(
                "content_lock.pml",
                List.of("-O1", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-DMEMLIM=3000"),
                List.of("-m3000000"),
                Arrays.stream(scenario.split(" ")).map(name -> "-D" + name).toArray(String[]::new));
    }

    private static String retirement(String... options) throws Exception {
        return search("retire.pml", List.of("-O0", "-DSAFETY"), List.of("-m100000"), options);
    }

    private static String safety(String... options) throws Exception {
        return search(
                "pin_evict.pml",
                List.of("-O0", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-DMEMLIM=3000"),
                List.of("-m3000000"),
                options);
    }

    private static String progress(String... options) throws Exception {
        return search("pin_progress.pml", List.of("-O0", "-DNFAIR=4"), List.of("-a", "-f", "-m100000"), options);
    }

    /** What the verifier prints: one line says {@code errors: N}. */
    private static String search(
            String model, List<String> compilerOptions, List<String> verifierOptions, String... options)
            throws Exception {
        try (var folder = new TmpfsFolder()) {
            Files.copy(MODELS.resolve(model), folder.path().resolve(model), StandardCopyOption.REPLACE_EXISTING);
            run(folder.path(), join(List.of("spin", "-a"), Arrays.asList(options), List.of(model)));
            run(folder.path(), join(List.of("gcc", "-w"), compilerOptions, List.of("-o", "pan", "pan.c")));
            return run(folder.path(), join(List.of("./pan"), verifierOptions));
        }
    }

    @SafeVarargs
    private static List<String> join(List<String>... parts) {
        var all = new ArrayList<String>();
        for (var part : parts) {
            all.addAll(part);
        }
        return all;
    }

    private static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        var output = folder.resolve("output");
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
        process.destroyForcibly();
        var text = Files.readString(output);
        assertThat(ended)
                .as("%s ended within %d minutes; so far:%n%s", command, MINUTES_MAX, text)
                .isTrue();
        return text;
    }

    private static boolean isOnPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
