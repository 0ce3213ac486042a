package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The committed definitions are those that the types give. */
class CrdRenderTest {
    static final String REFRESH = "./mvnw -q test -pl crds -am -Dnumapool.render=true";

    @ParameterizedTest
    @CsvSource({
        "io.numabufferpool.crds.NumaBufferPool, numabufferpools.numabufferpool.io-v1.yaml",
        "io.numabufferpool.crds.NumaPlacement, numaplacements.numabufferpool.io-v1.yaml"
    })
    void theCommittedDefinitionIsWhatTheTypesGive(Class<? extends CustomResource<?, ?>> kind, String name)
            throws IOException {
        var file = Path.of(System.getProperty("numapool.root"), "crds", name);
        var rendered = CrdRenderer.render(kind);
        if (Boolean.getBoolean("numapool.render")) {
            Files.writeString(file, rendered);
        }

        assertThat(file).as("Refresh with: " + REFRESH).exists().hasContent(rendered);
    }
}
