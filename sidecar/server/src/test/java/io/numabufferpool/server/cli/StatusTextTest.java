package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.server.report.StatusDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person sees: {@code status-WIDTH.txt} is {@code status.json} at a terminal of that width. */
class StatusTextTest {
    private static final String FOLDER = "/cli/";

    private static String resource(String name) throws IOException {
        try (var file = StatusTextTest.class.getResourceAsStream(FOLDER + name)) {
            assertThat(file).as(name).isNotNull();
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 120})
    void aStatusIsDrawnForTheWidthOfTheTerminal(int columns) throws Exception {
        var document = new ObjectMapper().readValue(resource("status.json"), StatusDocument.class);

        var drawn = String.join("\n", new StatusText(document, columns).lines()) + "\n";

        var golden = "status-" + columns + ".txt";
        if (Boolean.getBoolean("numapool.render")) {
            Files.writeString(
                    Path.of(System.getProperty("numapool.root"), "sidecar/server/src/test/resources/cli", golden),
                    drawn);
        }
        assertThat(drawn).isEqualTo(resource(golden));
        assertThat(drawn.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
    }
}
