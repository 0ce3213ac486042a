package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract on the kernel of this machine. */
class JnaLinuxSocketTest extends LinuxSocketContract {
    private final Linux linux = new JnaLinux();
    private final TmpfsFolder folder = new TmpfsFolder();

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return folder.path();
    }

    @Test
    void aSocketMayLieDeeperThanAnAddressIsLong() throws Exception {
        var deep = folder().resolve("a".repeat(100)).resolve("b".repeat(100));
        Files.createDirectories(deep);
        var path = deep.resolve("attach.sock");

        try (var listener = linux.listen(path, 0666, 8);
                var client = linux.connect(path, 10_000);
                var server = listener.accept(10_000)) {
            client.send(new byte[] {5}, List.of());

            assertThat(server.receive(1, 0).bytes()).containsExactly(5);
        }
    }

    @Test
    void theSocketFileHasThePermissionsAskedFor() throws Exception {
        var path = folder().resolve("attach.sock");
        try (var listener = linux.listen(path, 0666, 8)) {
            assertThat(listener).isNotNull();
            assertThat(Files.getAttribute(path, "unix:mode")).isEqualTo(0140666);
        }
    }

    @AfterEach
    void deleteFolder() {
        folder.close();
    }
}
