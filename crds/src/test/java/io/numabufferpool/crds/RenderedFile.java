package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A committed file that is rendered from code: compared, or written where a refresh is asked for. */
record RenderedFile(Path path) {
    static final String REFRESH = "./mvnw -q test -pl crds -am -Dnumapool.render=true";

    static RenderedFile of(String underRoot) {
        return new RenderedFile(Path.of(System.getProperty("numapool.root"), underRoot));
    }

    void compare(String rendered) throws IOException {
        if (Boolean.getBoolean("numapool.render")) {
            Files.createDirectories(path.getParent());
            Files.writeString(path, rendered);
        }

        assertThat(path).as("Refresh with: " + REFRESH).exists().hasContent(rendered);
    }
}
