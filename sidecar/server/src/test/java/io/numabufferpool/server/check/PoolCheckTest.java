package io.numabufferpool.server.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.SpaceChanged;
import io.numabufferpool.server.attach.ServedPool;
import io.numabufferpool.server.attach.TestFile;
import io.numabufferpool.server.check.CheckResult.Pass;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PoolCheckTest {
    private static final int BLOCKS = 100;
    private static final Duration SHORT = Duration.ofMillis(200);

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = ServedPool.newFolder();
    }

    @AfterEach
    void removeFolder() throws IOException {
        try (var files = Files.walk(folder)) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static CheckOptions options(int threads, Duration randomTime, boolean freshSessions) {
        long seed = System.nanoTime();
        System.out.println("PoolCheckTest seed " + seed);
        return new CheckOptions(threads, randomTime, freshSessions, seed);
    }

    @Test
    void everyBlockIsReadOnceInOrderAndManyAtRandom() throws Exception {
        var file = TestFile.write(folder.resolve("file"), BLOCKS * ServedPool.BUFFER_BYTES + 7, 1);
        try (var served = ServedPool.of(folder, BLOCKS / 3);
                var client = PoolClient.attach(served.attachFolder())) {
            var result = new PoolCheck(client, options(3, SHORT, true)).run(file);

            assertThat(result.good()).isTrue();
            assertThat(result.blockCount()).isEqualTo(BLOCKS + 1);
            assertThat(result.inOrder().blocks()).isEqualTo(BLOCKS + 1);
            assertThat(result.inOrder().misses()).isEqualTo(BLOCKS + 1);
            assertThat(result.atRandom().blocks())
                    .isEqualTo(result.atRandom().hits() + result.atRandom().misses());
            assertThat(result.atRandom().hits()).isPositive();
            assertThat(result.atRandom().misses()).isPositive();
        }
    }

    @Test
    void aByteThatChangesInThePoolIsFound() throws Exception {
        var file = TestFile.write(folder.resolve("file"), BLOCKS * ServedPool.BUFFER_BYTES, 1);
        try (var served = ServedPool.of(folder, 2 * BLOCKS);
                var client = PoolClient.attach(served.attachFolder())) {
            new PoolCheck(client, options(1, Duration.ZERO, false)).run(file);
            try (var buffers = FileChannel.open(folder.resolve("buffers"), StandardOpenOption.WRITE)) {
                buffers.write(ByteBuffer.allocate(1), 10L * ServedPool.BUFFER_BYTES + 5);
            }
            var result = new PoolCheck(client, options(2, Duration.ZERO, false)).run(file);

            assertThat(result.good()).isFalse();
            assertThat(result.wrongBlocks()).isEqualTo(1);
            assertThat(result.wrong())
                    .singleElement()
                    .asString()
                    .contains("4096 bytes, found in the pool")
                    .endsWith("is not what the file has there");
        }
    }

    @Test
    void aFileThatShrinksMeanwhileFailsTheCheck() throws Exception {
        var file = TestFile.write(folder.resolve("file"), BLOCKS * ServedPool.BUFFER_BYTES, 1);
        try (var served = ServedPool.of(folder, BLOCKS / 3);
                var client = PoolClient.attach(served.attachFolder());
                var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            var shrinker = Thread.ofPlatform().start(() -> shrinkAfterAWhile(channel));

            assertThatThrownBy(() -> new PoolCheck(client, options(2, Duration.ofSeconds(5), false)).run(file))
                    .isInstanceOf(SpaceChanged.class);
            shrinker.join();
        }
    }

    private static void shrinkAfterAWhile(FileChannel channel) {
        try {
            Thread.sleep(500);
            channel.truncate(ServedPool.BUFFER_BYTES);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFileTooLargeForATableIsComparedByReadingItAgain() throws Exception {
        var file = TestFile.write(folder.resolve("file"), 3 * ServedPool.BUFFER_BYTES, 1);
        var other = TestFile.write(folder.resolve("other"), 3 * ServedPool.BUFFER_BYTES, 2);
        try (var served = ServedPool.of(folder, BLOCKS);
                var client = PoolClient.attach(served.attachFolder());
                var space = client.openFile(file);
                var session = client.openSession();
                var pinned = session.pin(space, 2);
                var table = FileDigests.of(file, ServedPool.BUFFER_BYTES, 3, 3);
                var noTable = FileDigests.of(file, ServedPool.BUFFER_BYTES, 3, 2);
                var otherFile = FileDigests.of(other, ServedPool.BUFFER_BYTES, 3, 2)) {
            assertThat(table.matches(2, pinned.bytes(), FileDigests.sha256())).isTrue();
            assertThat(table.matches(1, pinned.bytes(), FileDigests.sha256())).isFalse();
            assertThat(noTable.matches(2, pinned.bytes(), FileDigests.sha256())).isTrue();
            assertThat(noTable.matches(1, pinned.bytes(), FileDigests.sha256())).isFalse();
            assertThat(otherFile.matches(2, pinned.bytes(), FileDigests.sha256()))
                    .isFalse();
        }
    }

    @Test
    void ratesAreOfWholeSeconds() {
        assertThat(new Pass(500, 250_000_000, 0, 0, new TreeMap<>()).blocksPerSecond())
                .isEqualTo(2000);
        assertThat(new Pass(0, 0, 0, 0, new TreeMap<>()).blocksPerSecond()).isZero();
    }
}
