package io.numabufferpool.crds;

import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The committed definitions are those that the types give. */
class CrdRenderTest {
    @ParameterizedTest
    @CsvSource({
        "io.numabufferpool.crds.NumaBufferPool, numabufferpools.numabufferpool.io-v1.yaml",
        "io.numabufferpool.crds.NumaPlacement, numaplacements.numabufferpool.io-v1.yaml"
    })
    void theCommittedDefinitionIsWhatTheTypesGive(Class<? extends CustomResource<?, ?>> kind, String name)
            throws IOException {
        RenderedFile.of("crds/" + name).compare(CrdRenderer.render(kind));
    }
}
