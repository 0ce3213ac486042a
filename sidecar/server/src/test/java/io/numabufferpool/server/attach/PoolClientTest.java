package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.AttachFailed;
import io.numabufferpool.client.PinnedBuffer;
import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.PoolSession;
import io.numabufferpool.client.PoolSpace;
import io.numabufferpool.client.SpaceChanged;
import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.pool.PoolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an application sees of the client. */
class PoolClientTest {
    private static final int BUFFERS = 64;
    private static final int BLOCKS = 32;
    private static final int BLOCK_BYTES = ServedPool.BUFFER_BYTES;

    /** The watch looks every 200 ms. */
    private static final Duration A_FEW_LOOKS = Duration.ofSeconds(3);

    private Path folder;
    private Path file;

    @BeforeEach
    void makeFolderAndFile() throws IOException {
        folder = ServedPool.newFolder();
        file = TestFile.writeBlocks(folder.resolve("file"), BLOCKS, 1);
    }

    @AfterEach
    void removeFolder() throws IOException {
        try (var files = Files.walk(folder)) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private Path attachFolder() {
        return folder.resolve("attach");
    }

    private static void assertHolds(PoolSession session, PoolSpace space, long block, int edition) throws IOException {
        try (var pinned = session.pin(space, block)) {
            assertThat(TestFile.holds(pinned.bytes(), block, edition))
                    .as("block %d of edition %d", block, edition)
                    .isTrue();
        }
    }

    @Test
    void theFirstPinLoadsAndTheSecondFinds() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            try (var first = session.pin(space, 3);
                    var second = session.pin(space, 3)) {
                assertThat(first.loaded()).isTrue();
                assertThat(second.loaded()).isFalse();
                assertThat(second.bytes().address()).isEqualTo(first.bytes().address());
                assertThat(first.bytes().isReadOnly()).isTrue();
            }
            assertThat(served.buffersPinned()).isZero();
        }
    }

    @Test
    void aBlockIsCopiedIntoAnArrayWithItsExactLength() throws Exception {
        var odd = TestFile.write(folder.resolve("odd"), 2 * BLOCK_BYTES + 1000, 1);
        byte[] content = Files.readAllBytes(odd);
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(odd);
                var session = client.openSession()) {
            var target = new byte[BLOCK_BYTES];

            assertThat(session.read(space, 2, target)).isEqualTo(1000);
            assertThat(target).startsWith(Arrays.copyOfRange(content, 2 * BLOCK_BYTES, content.length));
            assertThat(session.read(space, 1, target)).isEqualTo(BLOCK_BYTES);
            assertThat(target).isEqualTo(Arrays.copyOfRange(content, BLOCK_BYTES, 2 * BLOCK_BYTES));
            assertThat(session.read(space, 0, new byte[10])).isEqualTo(10);
        }
    }

    @Test
    void aPeekEndsWithTheFile() throws Exception {
        var odd = TestFile.write(folder.resolve("odd"), 2 * BLOCK_BYTES + 1000, 1);
        var content = ByteBuffer.wrap(Files.readAllBytes(odd)).order(ByteOrder.nativeOrder());
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(odd);
                var session = client.openSession()) {
            assertThat(session.peek(space, 0, 3)).isEqualTo(content.getLong(3));
            assertThat(session.peek(space, 2, 992)).isEqualTo(content.getLong(2 * BLOCK_BYTES + 992));
            assertThatThrownBy(() -> session.peek(space, 2, 993)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void theLastBlockEndsWithTheFileAndTheRestOfItsBufferIsZero() throws Exception {
        var odd = TestFile.write(folder.resolve("odd"), 2 * BLOCK_BYTES + 1000, 1);
        try (var served = ServedPool.of(folder, 1, 16, AttachAccess.READ_WRITE);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(odd);
                var session = client.openSession()) {
            assertThat(space.blockCount()).isEqualTo(3);
            assertThat(space.blockBytes(2)).isEqualTo(1000);
            assertHolds(session, space, 1, 1);
            try (var last = session.pin(space, 2)) {
                assertThat(last.bytes().byteSize()).isEqualTo(1000);
                assertThat(TestFile.holds(last.bytes(), 2, 1)).isTrue();
            }
            assertThat(bytesOfTheOnlyBuffer()).endsWith(new byte[BLOCK_BYTES - 1000]);
        }
    }

    private byte[] bytesOfTheOnlyBuffer() throws IOException {
        return Files.readAllBytes(folder.resolve("buffers"));
    }

    @Test
    void aBlockThatTheFileDoesNotHaveIsToldWithTheNumbers() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            assertThatThrownBy(() -> session.pin(space, BLOCKS))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("block 32 of " + file + ", which has 32 blocks of 4096 bytes");
            assertThatThrownBy(() -> session.pin(space, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void whatIsNotAFileIsNoSpace() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder())) {
            assertThatThrownBy(() -> client.openFile(folder))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("neither a regular file nor a block device");
            assertThatThrownBy(() -> client.openFile(folder.resolve("absent"))).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> client.openFile(Path.of("/dev/null")))
                    .hasMessageContaining("neither a regular file nor a block device");
        }
    }

    @Test
    void anEmptyFileHasNoBlocks() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(Files.createFile(folder.resolve("empty")))) {
            assertThat(space.blockCount()).isZero();
        }
    }

    @Test
    void aReplacedFileIsRefusedInOpenSpacesAndReadAnewWhenOpenedAgain() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            assertHolds(session, space, 5, 1);
            var next = TestFile.writeBlocks(folder.resolve("next"), BLOCKS, 2);
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);

            try (var again = client.openFile(file)) {
                assertHolds(session, again, 5, 2);
            }
            await().atMost(A_FEW_LOOKS)
                    .untilAsserted(() -> assertThatThrownBy(() -> assertHolds(session, space, 5, 1))
                            .isInstanceOf(SpaceChanged.class)
                            .hasMessage(file + " was replaced by another file after it was opened. Open it again."));
        }
    }

    @Test
    void aTruncatedFileIsRefusedOnTheNextMissAndSoonOnHits() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            assertHolds(session, space, 5, 1);
            try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(2 * BLOCK_BYTES);
            }

            assertThatThrownBy(() -> session.pin(space, 1))
                    .isInstanceOf(SpaceChanged.class)
                    .hasMessageContaining("has 8192 bytes; it had 131072 when it was opened");
            assertThatThrownBy(() -> session.pin(space, 5)).isInstanceOf(SpaceChanged.class);
            assertThatThrownBy(space::checkUnchanged).isInstanceOf(SpaceChanged.class);
        }
    }

    @Test
    void aFileThatIsRewrittenInPlaceIsReadAnewWithoutAnError() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            assertHolds(session, space, 5, 1);
            TestFile.writeBlocks(folder.resolve("next"), BLOCKS, 2);
            try (var source = FileChannel.open(folder.resolve("next"), StandardOpenOption.READ);
                    var target = FileChannel.open(file, StandardOpenOption.WRITE)) {
                source.transferTo(0, source.size(), target);
            }

            assertHolds(session, space, 6, 2);
            assertHolds(session, space, 5, 2);
        }
    }

    @Test
    void openSessionsHoldSlotsAndClosedOnesGiveThemBack() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder())) {
            var first = client.openSession();
            var second = client.openSession();
            assertThat(served.slotsLeased()).isEqualTo(2);

            first.close();
            first.close();
            second.close();

            assertThat(served.slotsLeased()).isZero();
        }
    }

    @Test
    void aSessionThatWasLostGivesItsSlotAndPinsBack() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file)) {
            var thread = new Thread(() -> loseASession(client, space));
            thread.start();
            thread.join();

            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                System.gc();
                assertThat(served.slotsLeased()).isZero();
                assertThat(served.buffersPinned()).isZero();
            });
        }
    }

    private static void loseASession(PoolClient client, PoolSpace space) {
        try {
            var session = client.openSession();
            var pinned = session.pin(space, 1);
            assertThat(pinned.loaded()).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aClosedClientGivesBackTheSlotsOfSessionsThatItLeftOpen() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS)) {
            var client = PoolClient.attach(attachFolder());
            var space = client.openFile(file);
            var session = client.openSession();
            var pinned = session.pin(space, 1);
            assertThat(served.buffersPinned()).isEqualTo(1);

            client.close();
            client.close();

            await().atMost(Duration.ofSeconds(2))
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isZero());
            assertThat(served.buffersPinned()).isZero();
            assertThatThrownBy(() -> session.pin(space, 1)).hasMessageContaining("PoolClient is closed");
            assertThatThrownBy(() -> pinned.bytes().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
            session.close();
            space.close();
        }
    }

    @Test
    void whenAllSlotsAreLeasedTheMessageNamesTheHolders() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS, 2, AttachAccess.READ_WRITE);
                var client = PoolClient.attach(attachFolder());
                var first = client.openSession();
                var second = client.openSession()) {
            assertThatThrownBy(client::openSession)
                    .isInstanceOf(PoolException.NoFreeSlot.class)
                    .hasMessageContaining("all 2 slots are leased")
                    .hasMessageContaining("{" + client.clientNumber() + "=2}")
                    .hasMessageContaining("raise spec.slots.max");
        }
    }

    @Test
    void whenEveryBufferIsPinnedTheMessageSaysSo() throws Exception {
        try (var served = ServedPool.of(folder, 4);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            var pinned = new ArrayList<PinnedBuffer>();
            for (int block = 0; block < 4; block++) {
                pinned.add(session.pin(space, block));
            }

            assertThatThrownBy(() -> session.pin(space, 4))
                    .isInstanceOf(PoolException.NoVictim.class)
                    .hasMessageContaining("of 4 buffers 4 hold pages that are pinned")
                    .hasMessageContaining("Unpin pages sooner, or raise spec.size");
            pinned.forEach(PinnedBuffer::close);
            assertHolds(session, space, 4, 1);
        }
    }

    @Test
    void aSegmentThatWasMadeAnewIsToldWhenSomethingIsOpened() throws Exception {
        var first = ServedPool.of(folder, BUFFERS);
        try (var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession()) {
            first.close();
            Files.delete(folder.resolve("control"));
            Files.delete(folder.resolve("buffers"));
            try (var second = ServedPool.of(folder, BUFFERS)) {
                await().atMost(Duration.ofSeconds(8))
                        .untilAsserted(() -> assertThatThrownBy(() -> client.openFile(file))
                                .isInstanceOf(AttachFailed.class)
                                .hasMessageContaining("The sidecar made a new segment")
                                .hasMessageContaining("Close this client and attach again"));
                assertHolds(session, space, 1, 1);
                assertThat(second.server.clients()).isEmpty();
            }
        }
    }

    @Test
    void withoutASidecarTheErrorSaysWhatToLookAt() throws Exception {
        var empty = Files.createDirectory(folder.resolve("empty"));
        var absent = folder.resolve("absent");

        assertThatThrownBy(() -> PoolClient.attach(absent))
                .isInstanceOf(AttachFailed.class)
                .hasMessageContaining("The attach folder " + absent + " is not in this container")
                .hasMessageContaining("numabufferpool.io/pool: NAME")
                .hasMessageContaining("numa-buffer-pool-attach must be mounted");
        assertThatThrownBy(() -> PoolClient.attach(empty))
                .isInstanceOf(AttachFailed.class)
                .hasMessageContaining("has no " + AttachProtocol.LOCK_NAME)
                .hasMessageContaining("kubectl logs POD -c numa-buffer-pool");
    }

    @Test
    void aFileOfAnotherLengthInTheSegmentsPlaceIsRefusedByName() throws Exception {
        try (var served = ServedPool.of(folder, BUFFERS)) {
            try (var channel = FileChannel.open(folder.resolve("buffers"), StandardOpenOption.WRITE)) {
                channel.truncate(BLOCK_BYTES);
            }

            assertThatThrownBy(() -> PoolClient.attach(attachFolder()))
                    .isInstanceOf(AttachFailed.class)
                    .hasMessageContaining("announced 262144 bytes")
                    .hasMessageContaining("passed a file of 4096");
        }
    }
}
