package io.numabufferpool.adopt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.numabufferpool.linux.RequiresHugePages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the library does to ordinary programs on one NUMA node: it places, says so, and never gets in the way. */
class AdoptLibraryTest {
    private static final String SEGMENT_BYTES = Long.toString(64L << 20);

    @TempDir
    private static Path folder;

    private static Bench bench;
    private static Path segments;
    private static Path refuse;

    @BeforeAll
    static void compile() {
        bench = new Bench(folder).buildLibrary("cc");
        segments = bench.compile("cc", "segments", "-pthread");
        refuse = bench.compile("cc", "refuse");
    }

    @BeforeEach
    void startFromDefaults() {
        bench.forget();
    }

    private static Map<String, String> theReport() {
        assertThat(bench.reports()).hasSize(1);
        return bench.reports().getFirst();
    }

    @ParameterizedTest
    @CsvSource({"shared,SharedAnonymous", "populated,SharedAnonymous", "system-v,SysV", "file,PosixShm"})
    void sharedSegmentIsPopulatedAndVerifiedBeforeTheProgramGetsIt(String how, String kind) {
        var ended = bench.run(segments, how);

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport())
                .containsEntry("kind", kind)
                .containsEntry("state", "Placed")
                .containsEntry("bytes", SEGMENT_BYTES)
                .containsEntry("placed.0", SEGMENT_BYTES)
                .containsEntry("end", "1");
    }

    @Test
    void privateMemoryGetsThePolicyAndIsCountedAtTheEnd() {
        var ended = bench.set("KINDS", "Private").run(segments, "private");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport())
                .containsEntry("kind", "Private")
                .containsEntry("state", "PolicyOnly")
                .containsEntry("placed.0", SEGMENT_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"private", "sparse", "shared 8"})
    void whatNobodyAskedForIsLeftAlone(String words) {
        var command = words.split(" ", -1);

        var ended = command.length == 1 ? bench.run(segments, words) : bench.run(segments, command[0], command[1]);

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(bench.reports()).isEmpty();
    }

    @Test
    void withoutAListOfNodesNothingIsAdopted() {
        var ended = bench.without("NUMAPOOL_ADOPT_NODES").run(segments, "shared");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(bench.reports()).isEmpty();
    }

    @Test
    @RequiresHugePages
    void reservedHugePagesThatTheProgramAskedForArePlaced() {
        var ended = bench.run(segments, "hugetlb");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport())
                .containsEntry("state", "Placed")
                .containsEntry("pageBytes", "2097152")
                .containsEntry("hugeBytes", SEGMENT_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 38})
    void whereSeccompRefusesMemoryPolicyPagesAreTouchedFromTheirNode(int errno) {
        var ended = bench.run(refuse, errno, segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport())
                .containsEntry("method", "PinnedFirstTouch")
                .containsEntry("state", "Placed")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("seccomp"));
    }

    @Test
    void nodeThatDoesNotExistIsSaidAndTheProgramRuns() {
        var ended = bench.set("NODES", "0,200").run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport())
                .containsEntry("state", "Spilled")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("NUMA node 200"));
    }

    @Test
    void segmentLargerThanTheMemoryIsNotPopulated() {
        var ended = bench.run(segments, "too-large", 1 << 20);

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport())
                .containsEntry("state", "PolicyOnly")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("larger than the memory"));
    }

    @Test
    void fileShorterThanItsMappingIsLeftToTheProgram() {
        var ended = bench.run(segments, "short-file");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport()).containsEntry("state", "PolicyOnly");
    }

    @Test
    void addressThatTheProgramChoseIsKept() {
        var ended = bench.run(segments, "fixed");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("hugeBytes", "0");
    }

    @Test
    void forkedChildrenLeaveTheParentsReportAlone() {
        var ended = bench.run(segments, "forks");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("placed.0", SEGMENT_BYTES);
    }

    @Test
    void executedProgramIsPlacedToo() {
        var ended = bench.run("sh", "-c", "exec \"$1\" executes", "sh", segments);

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(theReport()).containsEntry("state", "Placed");
    }

    @Test
    void threadsThatMapAtTheSameTimeGetASegmentEach() {
        var ended = bench.run(segments, "threads");

        assertThat(ended.output()).isEqualTo("ok\n");
        assertThat(bench.reports())
                .hasSize(16)
                .allSatisfy(report -> assertThat(report).containsEntry("state", "Placed"));
    }

    @Test
    void segmentMayBeGivenBackInPiecesAndMoved() {
        assertThat(bench.run(segments, "pieces").output()).isEqualTo("ok\n");
    }

    @Test
    void everyErrorIsTheKernelsOwn() {
        var plain = Bench.runPlain(Map.of(), List.of(segments.toString(), "errors"));

        var adopted = bench.run(segments, "errors");

        assertThat(adopted).isEqualTo(plain);
        assertThat(adopted.output()).contains("no such descriptor failed 9").endsWith("ok\n");
    }

    @ParameterizedTest
    @CsvSource({
        "NODES,0-",
        "NODES,999999",
        "POLICY,spread",
        "MIN_SIZE,64MB",
        "KINDS,Heap",
        "HUGE_PAGES,1",
        "WEIGHTS,0:1",
        "BIND_CPUS,1"
    })
    void malformedValueIsNamedAndNothingIsAdopted(String name, String value) {
        var ended = bench.set(name, value).run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport())
                .containsEntry("state", "Left")
                .hasEntrySatisfying(
                        "why",
                        why -> assertThat(why).contains("NUMAPOOL_ADOPT_" + name + "=\"" + value + "\"", "use "));
    }

    @Test
    void valueTooLongToBeReadIsNotReadInPart() {
        var ended = bench.set("NODES", "0" + ",0".repeat(2000)).run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(bench.reports()).noneSatisfy(report -> assertThat(report).containsEntry("state", "Placed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nowhere/at/all", "/dev/null", "/proc", "relative", "/dev/full", "../reports", ""})
    void folderThatCannotBeWrittenChangesNothingForTheProgram(String place) {
        var ended = bench.set("REPORT_DIR", place).run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
    }

    @Test
    void linkInThePlaceOfTheFolderIsNotFollowed() throws Exception {
        var target = Files.createDirectories(folder.resolve("elsewhere"));
        var link = Files.createSymbolicLink(folder.resolve("link"), target);

        var ended = bench.set("REPORT_DIR", link.toString()).run(segments, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void setUserIdProgramDoesNotObeyItsCallersEnvironment() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root: makes a set-user-ID program");
        assumeTrue(Bench.has("setpriv"), "needs setpriv (util-linux)");
        var program = Files.copy(segments, folder.resolve("set-user-id"));
        Bench.runPlain(Map.of(), List.of("chmod", "4755", program.toString()));
        Bench.runPlain(Map.of(), List.of("chmod", "-R", "a+rX", folder.toString()));

        var ended = bench.run("setpriv", "--reuid=65534", "--clear-groups", program, "shared");

        assertThat(ended.output()).endsWith("ok\n");
        assertThat(bench.reports()).isEmpty();
    }

    @Test
    void programOfMuslIsPlacedToo() {
        assumeTrue(Bench.has("musl-gcc"), "NOT TESTED WITH MUSL HERE: no musl-gcc; install musl-tools");
        var program = bench.compile("musl-gcc", "segments", "-pthread");

        var ended = bench.run(program, "shared");

        assertThat(ended).isEqualTo(new Bench.Ended(0, "ok\n"));
        assertThat(theReport()).containsEntry("state", "Placed").containsEntry("placed.0", SEGMENT_BYTES);
    }

    @Test
    void programsOfTheSystemRunAsEver() {
        var words = List.of("sh", "-c", "ls / | sort | wc -l; echo $0 | tr a-z A-Z; (exit 7)");
        var plain = Bench.runPlain(Map.of(), words);

        var adopted =
                bench.set("KINDS", "SharedAnonymous,SysV,PosixShm,Private").run(words.toArray());

        assertThat(adopted).isEqualTo(plain);
        assertThat(adopted.status()).isEqualTo(7);
    }
}
