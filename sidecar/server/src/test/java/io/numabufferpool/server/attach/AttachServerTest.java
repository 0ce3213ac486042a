package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachAnswer.Status;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.AttachRequest.Kind;
import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.linux.UnixConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttachServerTest {
    private static final int LAYOUT_MAJOR = 1;

    @TempDir
    private Path temp;

    private AttachFolder served(AttachAccess access) throws IOException {
        var folder = new AttachFolder(temp, AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
        folder.publish(access);
        return folder;
    }

    @Test
    void aClientGetsBothFilesClaimsItsByteAndIsListed() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect();
                var lock = ClientsLock.open(folder.linux, folder.folder)) {
            var granted = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR));
            assertThat(lock.tryTake(7)).isTrue();
            var listed = AttachFolder.claim(connection, 7);

            assertThat(granted.answer().status()).isEqualTo(Status.OK);
            assertThat(granted.answer().generation()).isEqualTo(AttachFolder.GENERATION);
            assertThat(folder.linux.status(granted.files().get(0)).bytes()).isEqualTo(AttachFolder.CONTROL_BYTES);
            assertThat(folder.linux.status(granted.files().get(1)).bytes()).isEqualTo(AttachFolder.BUFFERS_BYTES);
            assertThat(listed.answer().status()).isEqualTo(Status.OK);
            assertThat(folder.server.clients()).singleElement().satisfies(client -> {
                assertThat(client.number()).isEqualTo(7);
                assertThat(client.name()).isEqualTo("test program");
                assertThat(client.cpusAllowed()).hasToString("0-1");
                assertThat(client.memsAllowed()).hasToString("0");
                assertThat(client.uid()).isEqualTo(folder.linux.processStatus().uid());
            });
            granted.files().forEach(LinuxFile::close);
        }
    }

    @Test
    void theEndOfAConnectionIsToldAtOnce() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var lock = ClientsLock.open(folder.linux, folder.folder)) {
            try (var connection = folder.connect()) {
                attach(connection, lock, 3);
            }

            await().untilAsserted(() -> assertThat(folder.events).containsExactly("attached 3", "ended 3"));
            assertThat(folder.server.clients()).isEmpty();
        }
    }

    private static void attach(UnixConnection connection, ClientsLock lock, int number) throws MalformedMessage {
        AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR))
                .files()
                .forEach(LinuxFile::close);
        assertThat(lock.tryTake(number)).isTrue();
        assertThat(AttachFolder.claim(connection, number).answer().status()).isEqualTo(Status.OK);
    }

    @Test
    void aStatusQuestionGetsTheDocumentEvenBeforeThePoolIsPlaced() throws Exception {
        try (var folder = new AttachFolder(temp, AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
                var connection = folder.connect()) {
            var answered = AttachFolder.ask(connection, AttachFolder.request(Kind.STATUS, 99));

            assertThat(answered.answer().status()).isEqualTo(Status.OK);
            assertThat(answered.answer().body()).isEqualTo("{\"pool\":\"test\"}");
            assertThat(connection.receive(1, 0).bytes()).isEmpty();
        }
    }

    @Test
    void whoComesBeforeThePoolIsPlacedHearsThat() throws Exception {
        try (var folder = new AttachFolder(temp, AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
                var connection = folder.connect()) {
            var answered = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR));

            assertThat(answered.answer().status()).isEqualTo(Status.BUSY);
            assertThat(answered.answer().body()).contains("not placed yet");
            assertThat(answered.files()).isEmpty();
        }
    }

    @Test
    void aClientOfAnotherLayoutIsRefusedByName() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect()) {
            var answered = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, 2));

            assertThat(answered.answer().status()).isEqualTo(Status.REFUSED);
            assertThat(answered.answer().body())
                    .isEqualTo("The segment has layout 1.0; this client reads 2.x."
                            + " Use a client that reads 1.x, or a sidecar image of layout 2.x.");
            assertThat(answered.files()).isEmpty();
        }
    }

    @Test
    void aClaimOfAByteThatNobodyHoldsIsRefused() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect()) {
            AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR))
                    .files()
                    .forEach(LinuxFile::close);
            var answered = AttachFolder.claim(connection, 5);

            assertThat(answered.answer().status()).isEqualTo(Status.REFUSED);
            assertThat(answered.answer().body()).contains("Nobody holds byte 5 of clients.lock");
            assertThat(folder.server.clients()).isEmpty();
        }
    }

    @Test
    void aNumberBeyondTheLastIsRefused() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect()) {
            AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR))
                    .files()
                    .forEach(LinuxFile::close);
            var answered = AttachFolder.claim(connection, AttachProtocol.CLIENT_NUMBER_MAX + 1);

            assertThat(answered.answer().body()).contains("number 65535 does not exist", "the last is 65534");
        }
    }

    @Test
    void aNumberThatIsConnectedAlreadyIsBusy() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var lock = ClientsLock.open(folder.linux, folder.folder);
                var first = folder.connect();
                var second = folder.connect()) {
            attach(first, lock, 4);
            AttachFolder.ask(second, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR))
                    .files()
                    .forEach(LinuxFile::close);

            assertThat(AttachFolder.claim(second, 4).answer().status()).isEqualTo(Status.BUSY);
            assertThat(folder.server.clients()).hasSize(1);
        }
    }

    @Test
    void aReadOnlyClientCannotMapTheBuffersForWriting() throws Exception {
        try (var folder = served(AttachAccess.READ_ONLY);
                var connection = folder.connect()) {
            var granted = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR));
            var buffers = granted.files().get(1);

            assertThat(granted.answer().access()).isEqualTo(AttachAccess.READ_ONLY);
            assertThatThrownBy(
                            () -> folder.linux.map(buffers, 0, AttachFolder.BUFFERS_BYTES, Protection.READ_WRITE, 4096))
                    .isInstanceOf(LinuxException.class)
                    .hasMessageContaining("EACCES");
            try (var mapping = folder.linux.map(buffers, 0, AttachFolder.BUFFERS_BYTES, Protection.READ, 4096)) {
                assertThat(mapping.memory().byteSize()).isEqualTo(AttachFolder.BUFFERS_BYTES);
            }
            granted.files().forEach(LinuxFile::close);
        }
    }

    @Test
    void nobodyAttachesWhileTheLockFileIsAnother() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect()) {
            Files.delete(folder.folder.resolve(AttachProtocol.LOCK_NAME));
            Files.createFile(folder.folder.resolve(AttachProtocol.LOCK_NAME));
            var answered = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, LAYOUT_MAJOR));

            assertThat(answered.answer().status()).isEqualTo(Status.REFUSED);
            assertThat(answered.answer().body()).contains("clients.lock was removed or replaced");
        }
    }

    @Test
    void aClosedServerEndsItsConnectionsAndRemovesTheSocket() throws Exception {
        var folder = served(AttachAccess.READ_WRITE);
        try (var lock = ClientsLock.open(folder.linux, folder.folder);
                var connection = folder.connect()) {
            attach(connection, lock, 2);

            folder.close();

            assertThat(connection.receive(1, 0).bytes()).isEmpty();
            assertThat(folder.folder.resolve(AttachProtocol.SOCKET_NAME)).doesNotExist();
            assertThat(folder.folder.resolve(AttachProtocol.LOCK_NAME)).exists();
        }
    }

    @Test
    void namesAreCutAndMasksAreChecked() throws Exception {
        try (var folder = served(AttachAccess.READ_WRITE);
                var connection = folder.connect()) {
            var wrong = new TreeMap<>(Map.of(AttachRequest.KEY_CPUS, "0-"));
            var answered = AttachFolder.ask(connection, new AttachRequest(Kind.ATTACH, LAYOUT_MAJOR, 0, wrong));

            assertThat(answered.answer().status()).isEqualTo(Status.REFUSED);
            assertThat(answered.answer().body()).contains("The request's cpus", "\"0-\" is not a list such as");
        }
    }
}
