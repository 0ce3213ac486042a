package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules in Java, on the same fixtures as those in CEL. */
class NumaBufferPoolSpecChecksTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory())
            .setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1L;

                // An unknown field is a typing error here; the operator has to bear those of newer releases.
                @Override
                public JsonIgnoreProperties.Value findPropertyIgnoralByName(
                        MapperConfig<?> config, Annotated annotated) {
                    return JsonIgnoreProperties.Value.empty();
                }
            });

    static List<ValidationFixture> valid() {
        return ValidationFixture.all("valid");
    }

    static List<ValidationFixture> refused() {
        return Stream.concat(ValidationFixture.all("invalid").stream(), ValidationFixture.all("late").stream())
                .toList();
    }

    static List<ValidationFixture> malformed() {
        return ValidationFixture.all("malformed");
    }

    @ParameterizedTest
    @MethodSource("valid")
    void aValidSpecKeepsEveryRule(ValidationFixture fixture) throws JsonProcessingException {
        assertThat(check(fixture)).isEmpty();
        assertThat(PlacementMapping.toRequest(spec(fixture)).sizeBytes()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aBrokenRuleGivesTheSentenceBesideIt(ValidationFixture fixture) throws JsonProcessingException {
        assertThat(fixture.sentences()).isNotEmpty();
        assertThat(check(fixture)).containsExactlyElementsOf(fixture.sentences());
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void aMalformedSpecCannotBeRead(ValidationFixture fixture) {
        assertThat(fixture.sentences()).isNotEmpty();
        assertThatThrownBy(() -> spec(fixture)).isInstanceOf(JsonMappingException.class);
    }

    @Test
    void everyFileOfTheFolderIsAFixtureOrBesideOne() throws IOException {
        var read = new TreeSet<String>();
        for (var kind : List.of("valid", "invalid", "late", "malformed")) {
            for (var fixture : ValidationFixture.all(kind)) {
                read.add(fixture.name() + ".yaml");
                if (!kind.equals("valid")) {
                    read.add(fixture.name() + ".txt");
                }
            }
        }
        try (var files = Files.list(ValidationFixture.folder())) {
            var there = new TreeSet<>(
                    files.map(file -> file.getFileName().toString()).toList());
            assertThat(there).isEqualTo(read);
        }
    }

    private static List<String> check(ValidationFixture fixture) throws JsonProcessingException {
        var name = YAML.readTree(fixture.yaml()).at("/metadata/name").asText();
        return NumaBufferPoolSpecChecks.check(name, spec(fixture));
    }

    private static NumaBufferPoolSpec spec(ValidationFixture fixture) throws JsonProcessingException {
        return YAML.treeToValue(YAML.readTree(fixture.yaml()).get("spec"), NumaBufferPoolSpec.class);
    }
}
