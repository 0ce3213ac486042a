package io.numabufferpool.server.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Sends reports to the operator over HTTPS, one at a time. For one thread at a time. */
public final class OperatorClient {
    /** An operator that is there answers in milliseconds; this is for one that is being restarted. */
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(2);

    private static final Duration EXCHANGE_TIME_MAX = Duration.ofSeconds(5);

    /** A decision for a thousand NUMA nodes fits; anything longer does not come from the operator. */
    private static final int ANSWER_BYTES_MAX = 1 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** How an exchange went. */
    public sealed interface Outcome {
        /** The operator's answer. */
        record Answered(PlacementAnswer answer) implements Outcome {}

        /** No answer that could be used. {@code why} stays the same while the cause does, so it is logged once. */
        record Failed(String why) implements Outcome {}
    }

    private final URI url;
    private final Credentials credentials;
    private @Nullable HttpClient client;
    private @Nullable SSLContext clientTrust;

    /** {@code folder} holds {@code token} and {@code ca.crt}. */
    public OperatorClient(URI operatorUrl, Path folder) {
        this.url = operatorUrl.resolve("/v1/report");
        this.credentials = new Credentials(folder);
    }

    /** Whether there is anybody that may be asked: without a CA nothing is sent. */
    public boolean trusted() {
        return credentials.present();
    }

    /** Sends one report and waits for its answer, a bounded time. */
    public Outcome send(PlacementReport report) {
        try {
            var trust = credentials.trust();
            if (trust.isEmpty()) {
                return new Outcome.Failed("there is no CA of the operator yet (ConfigMap numa-buffer-pool-ca in this"
                        + " namespace), so nothing is sent");
            }
            byte[] body = JSON.writeValueAsBytes(report);
            if (body.length > PlacementReport.BODY_BYTES_MAX) {
                return new Outcome.Failed("the report has " + body.length + " bytes, more than the operator takes ("
                        + PlacementReport.BODY_BYTES_MAX + ")");
            }
            return exchange(client(trust.get()), body);
        } catch (IOException failed) {
            return new Outcome.Failed(describe(failed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed("the sidecar is stopping");
        }
    }

    private Outcome exchange(HttpClient http, byte[] body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(url)
                .timeout(EXCHANGE_TIME_MAX)
                .header("Authorization", "Bearer " + credentials.token())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        var response = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        byte[] answer;
        try (InputStream stream = response.body()) {
            answer = stream.readNBytes(ANSWER_BYTES_MAX);
        }
        if (response.statusCode() != 200) {
            return new Outcome.Failed("the operator answered " + response.statusCode() + ": " + sentence(answer));
        }
        try {
            return new Outcome.Answered(JSON.readValue(answer, PlacementAnswer.class));
        } catch (JsonProcessingException malformed) {
            return new Outcome.Failed(
                    "the operator's answer is no placement answer: " + malformed.getOriginalMessage());
        }
    }

    private static String sentence(byte[] answer) {
        try {
            return JSON.readTree(answer).path("message").asText("no reason given");
        } catch (IOException notJson) {
            return "no reason given";
        }
    }

    private static String describe(IOException failed) {
        var message = failed.getMessage();
        return failed.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private HttpClient client(SSLContext trust) {
        var known = client;
        if (known != null && trust.equals(clientTrust)) {
            return known;
        }
        if (known != null) {
            known.shutdownNow();
        }
        var made = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIME_MAX)
                .sslContext(trust)
                .build();
        client = made;
        clientTrust = trust;
        return made;
    }
}
