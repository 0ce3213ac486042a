package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On the real tmpfs: what is found there decides between made anew, taken over and left alone. */
class SegmentCreatorTest {
    private static final long CONTROL_BYTES = 8192;
    private static final long BUFFERS_BYTES = 1 << 20;

    private final TmpfsFolder folder = new TmpfsFolder();
    private final SegmentCreator creator = new SegmentCreator(new JnaLinux(), folder.path(), folder.path());

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    private Path file(String name) {
        return folder.path().resolve(name);
    }

    private void write(String name, String content, String permissions) throws IOException {
        Files.writeString(file(name), content);
        Files.setPosixFilePermissions(file(name), PosixFilePermissions.fromString(permissions));
    }

    @Test
    void anEmptyFolderHoldsNothing() {
        assertThat(creator.findPublished()).isEmpty();
    }

    @Test
    void filesAreForTheSidecarAloneAndFoundOnlyOncePublished() throws Exception {
        creator.create(CONTROL_BYTES, BUFFERS_BYTES).close();

        assertThat(creator.findPublished()).isEmpty();

        creator.publish("{}");

        try (var found = creator.findPublished().orElseThrow()) {
            assertThat(found.controlBytes()).isEqualTo(CONTROL_BYTES);
            assertThat(found.buffersBytes()).isEqualTo(BUFFERS_BYTES);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("control"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("buffers"))))
                .isEqualTo("rw-------");
        assertThat(creator.readDecision()).contains("{}");
    }

    @Test
    void aHalfMadeSegmentIsMadeAgain() throws Exception {
        creator.create(CONTROL_BYTES, BUFFERS_BYTES).close();
        Files.move(file("buffers.new"), file("buffers"));

        assertThat(creator.findPublished()).isEmpty();

        creator.create(CONTROL_BYTES, BUFFERS_BYTES).close();
        assertThat(file("buffers")).doesNotExist();
        assertThat(file("control.new")).hasSize(CONTROL_BYTES);
    }

    @Test
    void aFileThatLostItsContentIsAnErrorAndStays() throws Exception {
        creator.create(CONTROL_BYTES, BUFFERS_BYTES).close();
        creator.publish("{}");
        Files.write(file("control"), new byte[0]);

        assertThatThrownBy(creator::findPublished)
                .isInstanceOf(UnusableSegment.class)
                .hasMessageContaining("has 0 bytes")
                .hasMessageContaining("Nothing was changed. Stop the clients, remove the files in " + folder.path());
        assertThat(file("buffers")).hasSize(BUFFERS_BYTES);
    }

    @Test
    void aForeignFileIsAnErrorAndStays() throws Exception {
        write("control", "somebody else's", "rw-r--r--");
        write("buffers", "somebody else's", "rw-r--r--");

        assertThatThrownBy(creator::findPublished)
                .isInstanceOf(UnusableSegment.class)
                .hasMessageContaining("is no file of a segment")
                .hasMessageContaining("mode 644");
        assertThat(file("control")).hasContent("somebody else's");
    }

    @Test
    void halfASegmentIsAnErrorAndStays() throws Exception {
        write("buffers", "x", "rw-------");

        assertThatThrownBy(creator::findPublished)
                .isInstanceOf(UnusableSegment.class)
                .hasMessageContaining("There is " + file("buffers") + " but no " + file("control"));
        assertThat(file("buffers")).exists();
    }
}
