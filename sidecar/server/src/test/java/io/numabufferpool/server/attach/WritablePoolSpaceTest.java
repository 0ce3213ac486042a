package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.PoolSession;
import io.numabufferpool.client.PoolSpace;
import io.numabufferpool.client.WritablePoolSpace;
import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.pool.PoolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an application sees that changes a file through the pool. */
class WritablePoolSpaceTest {
    private static final int BUFFERS = 64;
    private static final int BLOCKS = 32;
    private static final int BLOCK_BYTES = ServedPool.BUFFER_BYTES;

    /** Pages are written back, and dead clients are reaped, within a second. */
    private static final Duration A_WHILE = Duration.ofSeconds(20);

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

    private byte[] inFile(long block) throws IOException {
        return Arrays.copyOfRange(Files.readAllBytes(file), (int) block * BLOCK_BYTES, (int) (block + 1) * BLOCK_BYTES);
    }

    private static byte[] filled(int value) {
        var bytes = new byte[BLOCK_BYTES];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static void change(PoolSession session, WritablePoolSpace space, long block, int value, long position)
            throws IOException {
        try (var writable = session.pinForWriting(space, block)) {
            writable.bytes().fill((byte) value);
            writable.markDirty(position);
        }
    }

    private static byte[] read(PoolSession session, PoolSpace space, long block) throws IOException {
        var target = new byte[space.blockBytes(block)];
        session.read(space, block, target);
        return target;
    }

    @Test
    void aChangeIsInTheFileWhenItsBufferIsClosedAndAtOnceInEveryProcess() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var other = PoolClient.attach(attachFolder());
                var space = client.openWriteThrough(file);
                var same = other.openWriteThrough(file);
                var session = client.openSession();
                var otherSession = other.openSession()) {
            assertThat(read(otherSession, same, 3)).isEqualTo(inFile(3));

            change(session, space, 3, 7, 0);

            assertThat(inFile(3)).isEqualTo(filled(7));
            assertThat(read(otherSession, same, 3)).isEqualTo(filled(7));
            try (var pinned = otherSession.pinShared(same, 3)) {
                assertThat(pinned.loaded()).isFalse();
                assertThat(pinned.bytes().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(filled(7));
            }
        }
    }

    @Test
    void whoReadsTheFileItselfSeesTheChangeAsWell() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteThrough(file);
                var snapshot = client.openFile(file);
                var session = client.openSession()) {
            assertThat(read(session, snapshot, 3)).isEqualTo(inFile(3));

            change(session, space, 3, 7, 0);

            snapshot.checkUnchanged();
            assertThat(read(session, snapshot, 3)).isEqualTo(filled(7));
        }
    }

    @Test
    void anExceptionInTheMiddleOfAChangeTakesItBack() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteThrough(file);
                var session = client.openSession()) {
            var before = inFile(3);
            assertThatThrownBy(() -> {
                        try (var writable = session.pinForWriting(space, 3)) {
                            writable.bytes().asSlice(0, 100).fill((byte) 7);
                            throw new IllegalStateException("the application failed");
                        }
                    })
                    .hasMessage("the application failed");

            assertThat(read(session, space, 3)).isEqualTo(before);
            assertThat(inFile(3)).isEqualTo(before);
        }
    }

    @Test
    void aFileThatEndsInTheMiddleOfABlockKeepsItsLengthUntilItIsExtended() throws Exception {
        var odd = TestFile.write(folder.resolve("odd"), 2 * BLOCK_BYTES + 1000, 1);
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var other = PoolClient.attach(attachFolder());
                var space = client.openWriteThrough(odd);
                var same = other.openWriteThrough(odd);
                var session = client.openSession();
                var otherSession = other.openSession()) {
            change(session, space, 2, 7, 0);
            assertThat(Files.size(odd)).isEqualTo(2 * BLOCK_BYTES + 1000);
            assertThatThrownBy(() -> session.pinForWriting(space, 3)).hasMessageContaining("which has 3 blocks");

            space.extend(5 * BLOCK_BYTES);
            change(session, space, 4, 9, 0);

            assertThat(same.blockBytes(4)).isEqualTo(BLOCK_BYTES);
            assertThat(read(otherSession, same, 4)).isEqualTo(filled(9));
            assertThat(Arrays.copyOf(read(otherSession, same, 2), 1001)).endsWith(7, 0);
            space.extend(BLOCK_BYTES);
            assertThat(Files.size(odd)).as("never shorter").isEqualTo(5 * BLOCK_BYTES);
        }
    }

    @Test
    void changesAreWrittenBackBehindTheLog() throws Exception {
        var logDurable = new AtomicLong();
        var asked = new ArrayList<Long>();
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteBack(file, position -> {
                    synchronized (asked) {
                        asked.add(position);
                    }
                    logDurable.set(position + 5);
                    return position + 5;
                });
                var session = client.openSession()) {
            change(session, space, 3, 7, 1000);

            await().atMost(A_WHILE).untilAsserted(() -> assertThat(inFile(3)).isEqualTo(filled(7)));

            synchronized (asked) {
                assertThat(asked).containsExactly(1000L);
            }
            assertThat(space.loggedPosition()).isEqualTo(1005);
            assertThat(session.flush(space)).isZero();
        }
    }

    @Test
    void whatTheLogDoesNotHaveIsNeverWrittenAndNeverLost() throws Exception {
        var failing = new AtomicBoolean(true);
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteBack(file, position -> {
                    if (failing.get()) {
                        throw new IOException("the log's disk is full");
                    }
                    return position;
                });
                var session = client.openSession()) {
            var before = inFile(3);
            change(session, space, 3, 7, 1000);

            assertThatThrownBy(() -> session.flush(space)).hasMessage("the log's disk is full");
            assertThat(inFile(3)).isEqualTo(before);
            assertThat(read(session, space, 3)).isEqualTo(filled(7));

            failing.set(false);
            session.flush(space);
            space.force();
            assertThat(inFile(3)).isEqualTo(filled(7));
        }
    }

    @Test
    void moreChangesThanTheShareOfThePoolWaitForTheStorageAndNobodyRunsOutOfVictims() throws Exception {
        var large = TestFile.writeBlocks(folder.resolve("large"), 10 * BUFFERS, 1);
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder())) {
            try (var space = client.openWriteBack(large, position -> position);
                    var session = client.openSession()) {
                for (long block = 0; block < space.blockCount(); block++) {
                    change(session, space, block, (int) block, 1 + block);
                }
            }
            var content = Files.readAllBytes(large);
            for (int block = 0; block < 10 * BUFFERS; block++) {
                assertThat(content[block * BLOCK_BYTES]).as("block %d", block).isEqualTo((byte) block);
            }
        }
    }

    @Test
    void closingWritesWhatIsDirtyAndSaysWhatItCouldNot() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var session = client.openSession()) {
            var space = client.openWriteBack(file, position -> position);
            change(session, space, 3, 7, 1);
            space.close();
            assertThat(inFile(3)).isEqualTo(filled(7));
            space.close();

            var failing = client.openWriteBack(file, position -> {
                throw new IOException("no log");
            });
            change(session, failing, 4, 8, 2);
            assertThatThrownBy(failing::close)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage("no log");

            // The change is there for who comes next, who has to look at it first.
            var next = client.openWriteBack(file, position -> position);
            assertThatThrownBy(() -> session.pin(next, 4)).isInstanceOf(PoolException.PeerDied.class);
            assertThat(session.recover(next, reloaded -> assertThat(reloaded).isEqualTo(1)))
                    .isTrue();
            assertThat(read(session, next, 4)).isEqualTo(inFile(4));
            assertThat(session.recover(next, reloaded -> {})).isFalse();
            next.close();
        }
    }

    @Test
    void whoOpensTheFileAgainFindsItsPagesInThePool() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var session = client.openSession()) {
            try (var space = client.openWriteThrough(file)) {
                change(session, space, 3, 7, 0);
            }
            try (var space = client.openWriteThrough(file);
                    var pinned = session.pin(space, 3)) {
                assertThat(pinned.loaded()).isFalse();
            }
            Files.write(file, filled(9));
            Files.write(file, new byte[BLOCKS * BLOCK_BYTES]);
            try (var space = client.openWriteThrough(file)) {
                assertThat(read(session, space, 3)).isEqualTo(filled(0));
            }
        }
    }

    @Test
    void whatCannotBeOpenedSaysWhy() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var _ = client.openWriteThrough(file)) {
            assertThatThrownBy(() -> client.openWriteBack(file, position -> position))
                    .isInstanceOf(PoolException.SpaceInUse.class)
                    .hasMessageContaining("another durability than WRITE_BACK");
            assertThatThrownBy(() -> client.openWriteThrough(folder.resolve("none")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("none");
            assertThatThrownBy(() -> client.openWriteThrough(Path.of("/dev/null")))
                    .hasMessageContaining("neither a regular file nor a block device");
        }
    }

    @Test
    void aSecondPoolKeepsAwayFromAFileThatIsChangedThroughTheFirst() throws Exception {
        var elsewhere = ServedPool.newFolder();
        try (var _ = ServedPool.of(folder, BUFFERS);
                var _ = ServedPool.of(elsewhere, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var stranger = PoolClient.attach(elsewhere.resolve("attach"));
                var _ = client.openWriteThrough(file)) {
            assertThatThrownBy(() -> stranger.openWriteThrough(file))
                    .isInstanceOf(PoolException.SpaceInUse.class)
                    .hasMessageContaining("open for writing through another pool");
        } finally {
            try (var files = Files.walk(elsewhere)) {
                for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Test
    void aReadOnlyPoolRefusesToChangeAFile() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS, 16, AttachAccess.READ_ONLY);
                var client = PoolClient.attach(attachFolder())) {
            assertThatThrownBy(() -> client.openWriteThrough(file)).hasMessageContaining("spec.access is ReadOnly");
        }
    }

    @Test
    void processesThatCountTogetherLoseNothing() throws Exception {
        Files.write(file, new byte[BLOCKS * BLOCK_BYTES]);
        int times = 30;
        try (var _ = ServedPool.of(folder, 16)) {
            var clients = new ArrayList<ChildProcess>();
            for (int i = 0; i < 3; i++) {
                clients.add(ChildProcess.start(ChangingClient.class, attachFolder(), file, "count", times));
            }
            for (var client : clients) {
                client.await("counted");
                assertThat(client.exitStatus()).isZero();
                client.close();
            }
        }
        var content = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        while (content.hasRemaining()) {
            assertThat(content.getLong()).isEqualTo(3L * times);
        }
    }

    @Test
    void aClientThatIsKilledInAChangeStopsTheOthersUntilOneRecovers() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteThrough(file);
                var session = client.openSession();
                var killed = ChildProcess.start(ChangingClient.class, attachFolder(), file, "half")) {
            var before = inFile(1);
            killed.await("stopped here");
            killed.signal("KILL");

            await().atMost(A_WHILE)
                    .untilAsserted(() -> assertThatThrownBy(() -> read(session, space, 0))
                            .isInstanceOf(PoolException.PeerDied.class)
                            .hasMessageContaining("recover the space"));
            assertThatThrownBy(() -> session.pinForWriting(space, 0)).isInstanceOf(PoolException.PeerDied.class);
            assertThatThrownBy(() -> session.pinAll(space, 0, 2)).isInstanceOf(PoolException.PeerDied.class);
            assertThatThrownBy(() -> session.flush(space)).isInstanceOf(PoolException.PeerDied.class);

            assertThatThrownBy(() -> session.recover(space, reloaded -> {
                        throw new IOException("the log cannot be read");
                    }))
                    .hasMessage("the log cannot be read");
            assertThatThrownBy(() -> read(session, space, 0)).isInstanceOf(PoolException.PeerDied.class);
            session.recover(space, reloaded -> change(session, space, 0, 5, 0));

            assertThat(read(session, space, 0)).isEqualTo(filled(5));
            assertThat(read(session, space, 1)).isEqualTo(before);
        }
    }

    @Test
    void ofAKilledClientOnlyWhatItsLogHasStays() throws Exception {
        try (var _ = ServedPool.of(folder, BUFFERS);
                var client = PoolClient.attach(attachFolder());
                var space = client.openWriteBack(file, position -> position);
                var session = client.openSession();
                var killed = ChildProcess.start(ChangingClient.class, attachFolder(), file, "unlogged")) {
            var before = List.of(inFile(1), inFile(2));
            killed.await("stopped here");
            killed.signal("KILL");
            await().atMost(A_WHILE)
                    .untilAsserted(() -> assertThatThrownBy(() -> read(session, space, 1))
                            .isInstanceOf(PoolException.PeerDied.class));
            assertThat(inFile(1)).isEqualTo(before.getFirst());

            session.recover(space, reloaded -> assertThat(reloaded).isEqualTo(1));

            assertThat(read(session, space, 1)).isEqualTo(filled(0x66));
            assertThat(read(session, space, 2)).isEqualTo(before.get(1));
            await().atMost(A_WHILE).untilAsserted(() -> assertThat(inFile(1)).isEqualTo(filled(0x66)));
        }
    }
}
