package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a real API server says to every fixture. */
@Tag("apiserver")
@ExtendWith(ApiServer.Parameter.class)
class CrdValidationIT {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POOLS = "/apis/numabufferpool.io/v1alpha1/namespaces/default/numabufferpools";

    private static ApiServer server;

    @BeforeAll
    static void start(ApiServer started) {
        server = started;
    }

    static List<ValidationFixture> valid() {
        return ValidationFixture.all("valid");
    }

    static List<ValidationFixture> invalid() {
        return ValidationFixture.all("invalid");
    }

    static List<ValidationFixture> late() {
        return ValidationFixture.all("late");
    }

    static List<ValidationFixture> malformed() {
        return ValidationFixture.all("malformed");
    }

    @ParameterizedTest
    @MethodSource("valid")
    void aValidPoolIsStoredWithTheDefaultsThatJavaGives(ValidationFixture fixture) throws IOException {
        var stored = JSON.readTree(server.post(POOLS + "?dryRun=All", json(fixture)));

        var asStored = JSON.treeToValue(stored.get("spec"), NumaBufferPoolSpec.class);
        var asWritten = JSON.treeToValue(YAML.readTree(fixture.yaml()).get("spec"), NumaBufferPoolSpec.class);

        assertThat(asStored).isEqualTo(asWritten);
        assertThat(withoutNumbers(JSON.valueToTree(asWritten))).isEqualTo(withoutNumbers(stored.get("spec")));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void aBrokenRuleIsRefusedWithTheSentenceBesideIt(ValidationFixture fixture) throws IOException {
        var refused = refused(fixture);

        var said = refused.getStatus().getDetails().getCauses().stream()
                .map(cause -> afterValue(cause.getMessage()))
                .toList();
        assertThat(said).containsExactlyInAnyOrderElementsOf(fixture.sentences());
    }

    /** When the API server can, the fixture becomes an {@code invalid-*} one. */
    @ParameterizedTest
    @MethodSource("late")
    void whatCannotBeCheckedHereIsAccepted(ValidationFixture fixture) throws IOException {
        assertThat(server.post(POOLS + "?dryRun=All", json(fixture))).contains("\"NumaBufferPool\"");
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void aMalformedPoolIsRefusedByItsSchema(ValidationFixture fixture) throws IOException {
        var refused = refused(fixture);

        for (var sentence : fixture.sentences()) {
            assertThat(refused.getStatus().getMessage()).contains(sentence);
        }
    }

    private static KubernetesClientException refused(ValidationFixture fixture) throws IOException {
        var json = json(fixture);
        var refused = catchThrowableOfType(KubernetesClientException.class, () -> server.post(POOLS, json));
        assertThat(refused).as("accepted").isNotNull();
        return refused;
    }

    /** A cause reads {@code Invalid value: VALUE: SENTENCE}; a sentence begins with the field. */
    private static String afterValue(String message) {
        int spec = message.lastIndexOf(": spec.");
        int name = message.lastIndexOf(": metadata.name");
        int begin = Math.max(spec, name);
        return begin < 0 ? message : message.substring(begin + 2);
    }

    /** A size may be written as a number; Java keeps its digits. */
    private static JsonNode withoutNumbers(JsonNode spec) {
        var copy = (ObjectNode) spec.deepCopy();
        copy.put("size", copy.get("size").asText());
        var placement = (ObjectNode) copy.get("placement");
        placement.put("nodes", placement.get("nodes").asText());
        return copy;
    }

    private static String json(ValidationFixture fixture) throws IOException {
        return JSON.writeValueAsString(YAML.readTree(fixture.yaml()));
    }
}
