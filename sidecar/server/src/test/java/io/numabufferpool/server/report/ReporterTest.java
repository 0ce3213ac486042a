package io.numabufferpool.server.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.report.OperatorClient.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports over real HTTPS, to something that speaks like the operator. */
class ReporterTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.Deciding);
    private OperatorServer operator;

    @BeforeEach
    void startOperator() throws Exception {
        operator = new OperatorServer(folder);
    }

    @AfterEach
    void stopOperator() {
        operator.close();
    }

    private PlacementReport report(long sequence) {
        return new PlacementReport(
                sequence,
                null,
                new PoolReference("orders", "u", 1),
                new PodReference("shop", "db-0", "p", null),
                null,
                new NumaPlacementStatus(
                        phase.get(),
                        null,
                        null,
                        null,
                        null,
                        sequence,
                        null,
                        null,
                        null,
                        List.of(),
                        List.of(),
                        List.of()));
    }

    private OperatorClient client() {
        return new OperatorClient(operator.url(), folder);
    }

    private Reporter reporter() {
        var log = new Log(new PrintStream(written, true, StandardCharsets.UTF_8), LogFormat.TEXT, Clock.systemUTC());
        return new Reporter(client(), this::report, 1000, log);
    }

    private String log() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void withoutACaNothingIsSent() {
        var outcome = client().send(report(1));

        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(((Outcome.Failed) outcome).why()).contains("ConfigMap numa-buffer-pool-ca");
        assertThat(operator.reports).isEmpty();
    }

    @Test
    void anOperatorWithAnotherCertificateGetsNoToken() throws Exception {
        try (var other = new OperatorServer(folder)) {
            other.writeCredentials(folder, "secret");
        }

        var outcome = client().send(report(1));

        assertThat(((Outcome.Failed) outcome).why()).contains("SSLHandshakeException");
        assertThat(operator.authorizations).isEmpty();
    }

    @Test
    void theTokenIsReadAnewAndTheAnswerUnderstood() throws Exception {
        operator.writeCredentials(folder, "first");
        operator.answer = "{\"problem\": {\"reason\": \"NumaNodeUnreachable\", \"message\": \"why\"}, \"new\": 1}";
        var client = client();

        var outcome = client.send(report(7));
        Files.writeString(folder.resolve("token"), "second");
        client.send(report(8));

        assertThat(((Outcome.Answered) outcome).answer().problem().reason()).isEqualTo("NumaNodeUnreachable");
        assertThat(operator.authorizations).containsExactly("Bearer first", "Bearer second");
        assertThat(operator.reports.getFirst().path("pod").path("name").asText())
                .isEqualTo("db-0");
        assertThat(operator.reports.getFirst().path("sequence").asLong()).isEqualTo(7);
    }

    @Test
    void aCaThatChangesIsTrustedFromTheNextReportOn() throws Exception {
        try (var other = new OperatorServer(folder)) {
            other.writeCredentials(folder, "token");
            var client = client();
            assertThat(client.send(report(1))).isInstanceOf(Outcome.Failed.class);

            operator.writeCredentials(folder, "token");

            assertThat(client.send(report(2))).isInstanceOf(Outcome.Answered.class);
        }
    }

    @Test
    void aRefusalIsToldInTheOperatorsWords() throws Exception {
        operator.writeCredentials(folder, "token");
        operator.status = 403;
        operator.answer = "{\"message\": \"The token is of another pod.\"}";

        var outcome = client().send(report(1));

        assertThat(((Outcome.Failed) outcome).why())
                .isEqualTo("the operator answered 403: The token is of another pod.");
    }

    @Test
    void aChangeIsReportedAtOnceAndNothingWhenNothingChanged() throws Exception {
        operator.writeCredentials(folder, "token");
        try (var reporter = reporter()) {
            reporter.start();
            await().atMost(LONG).until(() -> operator.reports.size() == 1);
            reporter.stateChanged();
            Thread.sleep(300);
            assertThat(operator.reports).hasSize(1);

            phase.set(Phase.Serving);
            reporter.stateChanged();

            await().atMost(Duration.ofSeconds(5)).until(() -> operator.reports.size() == 2);
            assertThat(operator.reports.get(1).path("status").path("phase").asText())
                    .isEqualTo("Serving");
            assertThat(operator.reports.get(1).path("sequence").asLong())
                    .isGreaterThan(operator.reports.get(0).path("sequence").asLong());
        }
    }

    @Test
    void anUnchangedStateIsToldAgainBecauseTheOperatorMayHaveDiedBeforeItWrote() throws Exception {
        operator.writeCredentials(folder, "token");
        var log = new Log(new PrintStream(written, true, StandardCharsets.UTF_8), LogFormat.TEXT, Clock.systemUTC());

        try (var reporter = new Reporter(client(), this::report, 1000, log, Duration.ZERO)) {
            reporter.start();
            await().atMost(LONG).until(() -> operator.reports.size() == 1);

            reporter.stateChanged();

            await().atMost(LONG).until(() -> operator.reports.size() == 2);
        }
    }

    @Test
    void anOperatorThatIsAwayIsLoggedOnceAndCaughtUpWith() throws Exception {
        operator.writeCredentials(folder, "token");
        operator.status = 503;
        operator.answer = "{\"message\": \"not the leader\"}";
        try (var reporter = reporter()) {
            reporter.start();
            await().atMost(LONG).until(() -> operator.reports.size() >= 2);

            operator.status = 200;
            operator.answer = "{}";

            await().atMost(LONG).until(() -> log().contains("the operator takes reports again"));
            assertThat(log().lines().filter(line -> line.contains("the operator was not reached")))
                    .hasSize(1);
        }
    }
}
