package io.numabufferpool.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LogTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private Log log(LogFormat format) {
        var clock = Clock.fixed(Instant.parse("2026-12-01T03:04:05.678901Z"), ZoneOffset.UTC);
        return new Log(new PrintStream(written, true, StandardCharsets.UTF_8), format, clock);
    }

    private String line() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aJsonLineIsOneObjectWhateverTheValues() throws Exception {
        log(LogFormat.JSON).warn("client ended", "name", "a \"b\"\nc", "client", 3, "why", null, "huge", true);

        assertThat(line().lines()).hasSize(1);
        var object = new ObjectMapper().readTree(line());
        assertThat(object.path("time").asText()).isEqualTo("2026-12-01T03:04:05.678Z");
        assertThat(object.path("level").asText()).isEqualTo("WARN");
        assertThat(object.path("message").asText()).isEqualTo("client ended");
        assertThat(object.path("name").asText()).isEqualTo("a \"b\"\nc");
        assertThat(object.path("client").asInt()).isEqualTo(3);
        assertThat(object.path("why").isNull()).isTrue();
        assertThat(object.path("huge").isBoolean()).isTrue();
    }

    @Test
    void aTextLineQuotesWhatHasSpaces() {
        log(LogFormat.TEXT).info("phase", "phase", "Serving", "why", "two words");

        assertThat(line())
                .isEqualTo("2026-12-01T03:04:05.678Z INFO  phase  phase=Serving why=\"two words\""
                        + System.lineSeparator());
    }

    @Test
    void aKeyWithoutAValueIsABug() {
        assertThatThrownBy(() -> log(LogFormat.TEXT).info("phase", "key")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEventOfASystemLoggerBecomesTextAndKeyValues() {
        var events = new LogEvents("io.numabufferpool.server.attach.SlotReaper", () -> log(LogFormat.TEXT));

        events.log(System.Logger.Level.INFO, "slots reaped client={0} slots={1}", 7, 2);
        events.log(System.Logger.Level.DEBUG, "not shown");

        assertThat(line()).endsWith("INFO  slots reaped  client=7 slots=2" + System.lineSeparator());
        assertThat(line().lines()).hasSize(1);
    }

    @Test
    void librariesShowOnlyWarnings() {
        var events = new LogEvents("com.sun.net.httpserver", () -> log(LogFormat.TEXT));

        assertThat(events.isLoggable(System.Logger.Level.INFO)).isFalse();
        assertThat(events.isLoggable(System.Logger.Level.WARNING)).isTrue();
    }
}
