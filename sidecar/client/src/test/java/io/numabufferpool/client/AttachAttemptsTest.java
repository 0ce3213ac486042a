package io.numabufferpool.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.UnixListener;
import io.numabufferpool.pool.PoolOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person reads when there is nothing to attach to. */
class AttachAttemptsTest {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** More than attempts fit into the wait. */
    private static final int CONNECTIONS_MAX = 100;

    private final Linux linux = new JnaLinux();

    @TempDir
    private Path folder;

    private void attach() {
        new AttachAttempts(linux, folder, WAIT_NANOS).attach(PoolOptions.defaults());
    }

    @Test
    void withoutTheVariableTheErrorNamesTheLabel() {
        for (var nothing : new String[] {null, "", " "}) {
            assertThatThrownBy(() -> AttachAttempts.folderFrom(nothing))
                    .isInstanceOf(AttachFailed.class)
                    .hasMessageContaining("NUMAPOOL_ATTACH is not set")
                    .hasMessageContaining("label numabufferpool.io/pool: NAME")
                    .hasMessageContaining("spec.containers");
        }
        assertThat(AttachAttempts.folderFrom("/run/numa-buffer-pool")).isEqualTo(Path.of("/run/numa-buffer-pool"));
    }

    @Test
    void aSidecarThatIsAwayIsWaitedForAndThenTold() {
        ClientsLock.openOrCreate(linux, folder).close();
        long beganNanos = System.nanoTime();

        assertThatThrownBy(this::attach)
                .isInstanceOf(AttachFailed.class)
                .hasMessageStartingWith("Not attached at " + folder + " within 300 ms. Nobody listens there: ")
                .hasMessageContaining("ENOENT")
                .hasMessageContaining("kubectl logs POD -c numa-buffer-pool");
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos))
                .isBetween(Duration.ofMillis(300), Duration.ofSeconds(5));
    }

    @Test
    void aSidecarThatClosesEveryConnectionIsTold() {
        ClientsLock.openOrCreate(linux, folder).close();
        var socket = folder.resolve(AttachProtocol.SOCKET_NAME);
        try (var listener = linux.listen(socket, AttachProtocol.PERMISSIONS, 8)) {
            Thread.ofPlatform().daemon().start(() -> closeWhoeverComes(listener));

            assertThatThrownBy(this::attach)
                    .isInstanceOf(AttachFailed.class)
                    .hasMessageContaining("Not attached at " + folder)
                    .hasMessageContaining("numa-buffer-pool");
        }
    }

    private static void closeWhoeverComes(UnixListener listener) {
        try {
            for (int connection = 0; connection < CONNECTIONS_MAX; connection++) {
                listener.accept(1000).close();
            }
        } catch (LinuxException e) {
            assertThat(e).as("the end of the test closes the listener").hasMessageContaining("accept");
        }
    }
}
