package io.numabufferpool.server.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version of this program, as the build wrote it. */
public final class ProgramVersion {
    private ProgramVersion() {}

    /** Such as {@code 0.1.0}; {@code unknown} in a build that wrote none. */
    public static String text() {
        try (var file = ProgramVersion.class.getResourceAsStream("/numapool.version")) {
            return file == null ? "unknown" : new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
