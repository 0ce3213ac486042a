package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.linux.RequiresHugePages;
import io.numabufferpool.linux.TmpfsFolder;
import io.numabufferpool.server.report.VerificationDocument.Row;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code serve -f} as a process on this machine, from its start to its end. */
class ServeCommandTest {
    private static final long MIB = 1L << 20;
    private static final String PUBLISHED = "segment published  generation=([0-9a-f]+)";

    private final TmpfsFolder folder = new TmpfsFolder();

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    private Path dir() {
        return folder.path().resolve("pool");
    }

    private Path attach() {
        return dir().resolve("attach");
    }

    private Path segment(String file) {
        return dir().resolve("segment").resolve(file);
    }

    private Path pool(String spec) throws Exception {
        var file = folder.path().resolve("pool.yaml");
        Files.writeString(
                file,
                "apiVersion: numabufferpool.io/v1alpha1\nkind: NumaBufferPool\nmetadata: {name: orders}\nspec: " + spec
                        + "\n");
        return file;
    }

    private ServeProcess serve(String spec) throws Exception {
        return ServeProcess.start(
                folder.path(), "serve", "-f", pool(spec).toString(), "--dir", dir().toString(), "--http", "0");
    }

    private static long sum(Iterable<NumaNodeUsage> rows, ToLongFunction<NumaNodeUsage> column) {
        long sum = 0;
        for (var row : rows) {
            sum += column.applyAsLong(row);
        }
        return sum;
    }

    @ParameterizedTest
    @CsvSource({"Transparent, 16777216", "Never, 0"})
    void servesASegmentThatLiesWhereItWasDecidedAndEndsCleanly(String mode, long hugeBytes) throws Exception {
        try (var serve = serve("{size: 16Mi, hugePages: {mode: " + mode + "}}")) {
            serve.await(PUBLISHED);
            var document = serve.status(attach());
            var rows = document.status().numaNodes();

            assertThat(document.status().phase()).isEqualTo(Phase.Serving);
            assertThat(document.status().decidedBy()).isEqualTo(DecidedBy.Sidecar);
            assertThat(sum(rows, NumaNodeUsage::placedBytes)).isEqualTo(16 * MIB);
            assertThat(sum(rows, NumaNodeUsage::wantedBytes)).isEqualTo(16 * MIB);
            assertThat(sum(rows, NumaNodeUsage::spilledBytes)).isZero();
            assertThat(sum(rows, NumaNodeUsage::bufferCount)).isEqualTo(2048);
            assertThat(sum(rows, NumaNodeUsage::hugeBytes)).isEqualTo(hugeBytes);

            serve.terminate();

            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.OK);
            assertThat(segment("control")).doesNotExist();
            assertThat(segment("buffers")).doesNotExist();
        }
    }

    @Test
    void everyPartitionIsCountedOnDemand() throws Exception {
        try (var serve = serve("{size: 16Mi, partitionsPerNode: 4}")) {
            serve.await(PUBLISHED);

            var document = serve.verification(attach());

            assertThat(document.asDecided()).isTrue();
            assertThat(document.partitions()).extracting(Row::name).contains("partition 0", "partition 3");
            assertThat(document.partitions()).allSatisfy(row -> {
                assertThat(row.spilledBytes()).isZero();
                assertThat(row.placed()).isEqualTo(row.wanted());
            });
            assertThat(document.partitions().stream().mapToLong(Row::bytes).sum())
                    .isEqualTo(16 * MIB);
            assertThat(document.ranges()).anyMatch(row -> row.name().startsWith("control file"));
        }
    }

    @Test
    @RequiresHugePages
    void servesReservedPages() throws Exception {
        try (var serve = serve("{size: 8Mi, hugePages: {mode: Reserved}}")) {
            serve.await(PUBLISHED);
            var rows = serve.status(attach()).status().numaNodes();

            assertThat(sum(rows, NumaNodeUsage::hugeBytes)).isEqualTo(8 * MIB);
            assertThat(segment("buffers")).doesNotExist();

            serve.terminate();
            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.OK);
        }
    }

    @Test
    void probesAndMetricsAnswerOverHttp() throws Exception {
        try (var serve = serve("{size: 4Mi}");
                var http = HttpClient.newHttpClient()) {
            var port = serve.await("HTTP answers  port=(\\d+)").group(1);
            serve.await(PUBLISHED);

            assertThat(get(http, port, "/q/health/live").statusCode()).isEqualTo(200);
            var started = get(http, port, "/q/health/started");
            assertThat(started.statusCode()).isEqualTo(200);
            assertThat(started.body()).contains("\"status\":\"UP\"").contains("\"phase\":\"Serving\"");
            assertThat(get(http, port, "/q/metrics").body())
                    .contains("numapool_placed_bytes{numa_node=\"0\",pool=\"orders\"} 4194304.0");
        }
    }

    private static HttpResponse<String> get(HttpClient http, String port, String path) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aKilledSidecarsSegmentIsTakenOver() throws Exception {
        String generation;
        try (var first = serve("{size: 16Mi}")) {
            generation = first.await(PUBLISHED).group(1);
            first.kill();
        }

        try (var second = serve("{size: 16Mi}")) {
            assertThat(second.await(PUBLISHED).group(1)).isEqualTo(generation);
            assertThat(second.output()).contains("took over the segment that was there  event=SidecarReadopted");
            var rows = second.status(attach()).status().numaNodes();
            assertThat(sum(rows, NumaNodeUsage::placedBytes)).isEqualTo(16 * MIB);
            assertThat(sum(rows, NumaNodeUsage::hugeBytes)).isEqualTo(16 * MIB);
        }
    }

    @Test
    void aSegmentOfOtherSettingsIsLeftAlone() throws Exception {
        try (var first = serve("{size: 16Mi}")) {
            first.await(PUBLISHED);
            first.kill();
        }

        try (var second = serve("{size: 32Mi}")) {
            assertThat(second.exitStatus()).isEqualTo(ExitStatus.FAILED);
            assertThat(second.output())
                    .contains("was made for other settings")
                    .contains("Nothing was changed. Stop the clients");
            assertThat(segment("buffers")).hasSize(16 * MIB);
        }
    }

    @Test
    void aTruncatedSegmentIsLeftAlone() throws Exception {
        try (var first = serve("{size: 16Mi}")) {
            first.await(PUBLISHED);
            first.kill();
        }
        try (var buffers =
                java.nio.channels.FileChannel.open(segment("buffers"), java.nio.file.StandardOpenOption.WRITE)) {
            buffers.truncate(MIB);
        }

        try (var second = serve("{size: 16Mi}")) {
            assertThat(second.exitStatus()).isEqualTo(ExitStatus.FAILED);
            assertThat(second.output()).contains("1048576 bytes").contains("or one of them was truncated");
            assertThat(segment("buffers")).hasSize(MIB);
        }
    }

    @Test
    void aForeignFileOfTheRightLengthIsLeftAlone() throws Exception {
        try (var first = serve("{size: 16Mi}")) {
            first.await(PUBLISHED);
            first.kill();
        }
        try (var control =
                java.nio.channels.FileChannel.open(segment("control"), java.nio.file.StandardOpenOption.WRITE)) {
            control.write(
                    java.nio.ByteBuffer.wrap("PK-another-format".getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
                    0);
        }

        try (var second = serve("{size: 16Mi}")) {
            assertThat(second.exitStatus()).isEqualTo(ExitStatus.FAILED);
            assertThat(second.output()).contains("it is a foreign file").contains("Nothing was changed.");
        }
    }

    @Test
    void sigtermDuringPrefaultEndsItAtOnceAndGivesTheMemoryBack() throws Exception {
        try (var serve = serve("{size: 2Gi, hugePages: {mode: Never}}")) {
            serve.await("phase=Placing");

            serve.terminate();

            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.OK);
            assertThat(segment("buffers.new")).doesNotExist();
            assertThat(segment("control.new")).doesNotExist();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{size: 1025Ki} | spec.size: 1025Ki is not a",
                "{size: 16Mi, bufferSize: 5Ki} | spec.bufferSize: \"5Ki\" is not one of 4Ki, 8Ki, 16Ki, 32Ki, 64Ki.",
                "{size: 16Mi, placement: {polcy: None}} | unknown field spec.placement.polcy; known there: ",
                "{size: 16Mi, placement: {policy: None}} | BestEffort",
                "{size: 16Mi, placement: {nodes: '0,x'}} | spec.placement.nodes",
                "[] | spec is missing"
            })
    void aPoolThatIsNoPoolIsRefusedInOneSentence(String spec, String words) throws Exception {
        try (var serve = serve(spec)) {
            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.USAGE);
            assertThat(serve.output().lines()).hasSize(1);
            assertThat(serve.output())
                    .startsWith("numapool serve: ")
                    .contains("pool.yaml")
                    .contains(words);
            assertThat(dir()).doesNotExist();
        }
    }

    @Test
    void wrongWordsAreAnsweredInOneLine() throws Exception {
        try (var serve = ServeProcess.start(folder.path(), "serve", "--file")) {
            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.USAGE);
            assertThat(serve.output().lines()).hasSize(1);
            assertThat(serve.output()).endsWith("Try 'numapool serve --help'.\n");
        }
    }

    @Test
    void withoutAFileAndOutsideAPodItSaysWhatToDo() throws Exception {
        try (var serve = ServeProcess.start(folder.path(), "serve")) {
            assertThat(serve.exitStatus()).isEqualTo(ExitStatus.USAGE);
            assertThat(serve.output())
                    .contains("\"level\":\"ERROR\"")
                    .contains("NUMAPOOL_POOL is not set")
                    .contains("numapool serve -f pool.yaml");
        }
    }
}
