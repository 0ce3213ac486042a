package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What {@link Linux} promises about Unix sockets and descriptors that travel through them. */
abstract class LinuxSocketContract {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int SHORT_MILLIS = 50;

    abstract Linux linux();

    /** An empty folder on tmpfs. */
    abstract Path folder();

    private Path socketPath() {
        return folder().resolve("attach.sock");
    }

    /** One connection, both ends. */
    private record Pair(UnixListener listener, UnixConnection client, UnixConnection server) implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            server.close();
            listener.close();
        }
    }

    private Pair connected(int timeoutMillis) {
        var listener = linux().listen(socketPath(), 0666, 8);
        var client = linux().connect(socketPath(), timeoutMillis);
        return new Pair(listener, client, listener.accept(timeoutMillis));
    }

    @Test
    void bytesAndDescriptorsArrive() {
        try (var pair = connected(TIMEOUT_MILLIS);
                var file = linux().open(folder().resolve("passed"), OpenMode.CREATE_NEW, 0600)) {
            linux().setLength(file, 4096);

            pair.server().send("hello, client".getBytes(StandardCharsets.UTF_8), List.of(file));
            var received = pair.client().receive(13, 1);

            assertThat(new String(received.bytes(), StandardCharsets.UTF_8)).isEqualTo("hello, client");
            assertThat(received.files()).hasSize(1);
            try (var passed = received.files().getFirst()) {
                assertThat(linux().status(passed).inode())
                        .isEqualTo(linux().status(file).inode());
                assertThat(linux().status(passed).bytes()).isEqualTo(4096);
            }
        }
    }

    @Test
    void aMessageLongerThanTheSocketsBufferArrivesWhole() throws Exception {
        var bytes = new byte[1 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        try (var pair = connected(TIMEOUT_MILLIS)) {
            var sending = CompletableFuture.runAsync(() -> pair.client().send(bytes, List.of()));

            assertThat(pair.server().receive(bytes.length, 0).bytes()).isEqualTo(bytes);
            sending.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void theEndOfTheStreamGivesFewerBytes() {
        try (var pair = connected(TIMEOUT_MILLIS)) {
            pair.client().send(new byte[] {1, 2, 3}, List.of());
            pair.client().close();

            assertThat(pair.server().receive(16, 0).bytes()).containsExactly(1, 2, 3);
            assertThat(pair.server().receive(16, 0).bytes()).isEmpty();
        }
    }

    @Test
    void aSilentPeerTimesOut() {
        try (var pair = connected(SHORT_MILLIS)) {
            pair.client().send(new byte[] {1, 2, 3}, List.of());

            LinuxContract.assertFails(
                    Errno.ETIMEDOUT, () -> pair.server().receive(16, 0), "16 bytes", "3 done", SHORT_MILLIS + " ms");
        }
    }

    @Test
    void moreDescriptorsThanExpectedAreRefused() {
        try (var pair = connected(TIMEOUT_MILLIS);
                var file = linux().open(folder().resolve("extra"), OpenMode.CREATE_NEW, 0600)) {
            pair.client().send(new byte[] {1}, List.of(file, file));

            LinuxContract.assertFails(
                    Errno.EPROTO, () -> pair.server().receive(1, 1), "at most 1 descriptors", "sent more");
        }
    }

    @Test
    void aClosedFileIsNotSent() {
        try (var pair = connected(TIMEOUT_MILLIS)) {
            var file = linux().open(folder().resolve("gone"), OpenMode.CREATE_NEW, 0600);
            file.close();

            LinuxContract.assertFails(Errno.EBADF, () -> pair.client().send(new byte[] {1}, List.of(file)), "gone");
        }
    }

    @Test
    void sendingToAPeerThatHasGoneFails() {
        try (var pair = connected(TIMEOUT_MILLIS)) {
            pair.client().close();

            LinuxContract.assertFails(Errno.EPIPE, () -> pair.server().send(new byte[] {1}, List.of()), "1 bytes");
        }
    }

    @Test
    void thePeerIsKnown() {
        try (var pair = connected(TIMEOUT_MILLIS)) {
            assertThat(pair.server().peer().pid()).isEqualTo(linux().processId());
            assertThat(pair.server().peer().uid())
                    .isEqualTo(linux().processStatus().uid());
        }
    }

    @Test
    void closingTheListenerEndsAWaitingAccept() throws Exception {
        var listener = linux().listen(socketPath(), 0666, 8);
        var accepting = CompletableFuture.supplyAsync(() -> listener.accept(TIMEOUT_MILLIS));
        TimeUnit.MILLISECONDS.sleep(SHORT_MILLIS);

        listener.close();

        Assertions.assertThatThrownBy(() -> accepting.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LinuxException.class);
        LinuxContract.assertFails(Errno.ENOENT, () -> linux().connect(socketPath(), TIMEOUT_MILLIS), "attach.sock");
    }

    @Test
    void closingAConnectionEndsAWaitingReceive() throws Exception {
        try (var pair = connected(TIMEOUT_MILLIS)) {
            var receiving = CompletableFuture.supplyAsync(() -> pair.server().receive(16, 0));
            TimeUnit.MILLISECONDS.sleep(SHORT_MILLIS);

            pair.server().close();

            // Which of the two it is depends on who comes first: the end of the stream, or a closed descriptor.
            var ended = receiving.handle((received, failure) -> failure == null ? received.bytes().length : -1);
            assertThat(ended.get(5, TimeUnit.SECONDS)).isLessThanOrEqualTo(0);
        }
    }

    @Test
    void anOldSocketFileIsReplacedAndItsListenerLeavesTheNewOneAlone() {
        var old = linux().listen(socketPath(), 0600, 8);
        try (var listener = linux().listen(socketPath(), 0666, 8)) {
            old.close();

            try (var client = linux().connect(socketPath(), TIMEOUT_MILLIS);
                    var server = listener.accept(TIMEOUT_MILLIS)) {
                client.send(new byte[] {9}, List.of());
                assertThat(server.receive(1, 0).bytes()).containsExactly(9);
            }
        }
    }

    @Test
    void anythingButASocketIsNotReplaced() {
        linux().open(socketPath(), OpenMode.CREATE_NEW, 0600).close();

        LinuxContract.assertFails(
                Errno.EEXIST, () -> linux().listen(socketPath(), 0666, 8), "attach.sock", "other than a socket");
    }

    @Test
    void connectingWhereNobodyListensFails() {
        LinuxContract.assertFails(Errno.ENOENT, () -> linux().connect(socketPath(), TIMEOUT_MILLIS), "attach.sock");
    }
}
