package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.placement.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real processes that share a pool, stop, die, and are served by a sidecar that dies. */
class ClientProcessesTest {
    private static final int BLOCKS = 200;

    /** Smaller than the file, so that pages come and go. */
    private static final int FEW_BUFFERS = 64;

    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

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

    @Test
    void twoProcessesShareOneCopyOfEachPage() throws Exception {
        try (var served = ServedPool.of(folder, 2 * BLOCKS);
                var first = ChildProcess.start(ClientProcess.class, attachFolder(), file, "once")) {
            assertThat(first.await("read")).isEqualTo("read 200 wrong 0 misses 200");
            try (var second = ChildProcess.start(ClientProcess.class, attachFolder(), file, "once")) {
                assertThat(second.await("read")).isEqualTo("read 200 wrong 0 misses 0");
            }
            assertThat(served.pool.readStatistics().numaNodes())
                    .satisfiesOnlyOnce(node -> assertThat(node.buffers().used()).isEqualTo(BLOCKS));
        }
    }

    /** The last of our CPUs, so that it is not the one that everything starts on. */
    @Test
    void everyThreadOfAClientIsBoundToTheAdvisedCpus() throws Exception {
        int cpu = new JnaLinux().affinity().stream().max().orElseThrow();
        try (var _ = ServedPool.advising(folder, FEW_BUFFERS, CpuSet.of(cpu, 60_000));
                var client = ChildProcess.start(ClientProcess.class, attachFolder(), file, "cpus")) {
            assertThat(client.await("cpus")).isEqualTo("cpus " + cpu + " threads " + cpu);
        }
    }

    @Test
    void aClientThatMayUseNoneOfTheAdvisedCpusStaysAsItIs() throws Exception {
        var allowed = new JnaLinux().affinity();
        try (var _ = ServedPool.advising(folder, FEW_BUFFERS, CpuSet.of(60_000));
                var client = ChildProcess.start(ClientProcess.class, attachFolder(), file, "cpus")) {
            assertThat(client.await("cpus")).isEqualTo("cpus  threads " + allowed);
        }
    }

    @Test
    void aKilledClientGivesBackItsSlotsAndPinsWithinTwoSeconds() throws Exception {
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var client = ChildProcess.start(ClientProcess.class, attachFolder(), file, "hold")) {
            client.await("holding");
            assertThat(served.slotsLeased()).isEqualTo(1);
            assertThat(served.buffersPinned()).isEqualTo(5);

            client.signal("KILL");

            await().atMost(TWO_SECONDS)
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isZero());
            assertThat(served.buffersPinned()).isZero();
            assertThat(served.server.clients()).isEmpty();
        }
    }

    @Test
    void aStoppedClientKeepsItsSlotsAndPins() throws Exception {
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var client = ChildProcess.start(ClientProcess.class, attachFolder(), file, "hold")) {
            client.await("holding");
            client.signal("STOP");
            try (var other = ChildProcess.start(ClientProcess.class, attachFolder(), file, "once")) {
                assertThat(other.await("read")).startsWith("read 200 wrong 0");
            }

            await().pollDelay(Duration.ofSeconds(3))
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isEqualTo(1));
            assertThat(served.buffersPinned()).isEqualTo(5);
            client.signal("CONT");
            client.tell("go on");

            assertThat(client.await("released")).isEqualTo("released wrong 0");
            assertThat(client.exitStatus()).isZero();
        }
    }

    @Test
    void aKilledSidecarIsReplacedUnderRunningClientsWithoutAnError() throws Exception {
        try (var sidecar = ChildProcess.start(ServedPool.class, folder, FEW_BUFFERS)) {
            var generation = sidecar.await("serving");
            try (var client = ChildProcess.start(ClientProcess.class, attachFolder(), file, "loop");
                    var dying = ChildProcess.start(ClientProcess.class, attachFolder(), file, "hold")) {
                client.await("looping");
                dying.await("holding");
                sidecar.signal("KILL");
                sidecar.exitStatus();
                dying.signal("KILL");
                dying.exitStatus();

                try (var next = ServedPool.of(folder, FEW_BUFFERS)) {
                    assertThat("serving " + next.pool.segmentGeneration()).isEqualTo(generation);
                    await().atMost(TWO_SECONDS)
                            .untilAsserted(() -> assertThat(next.slotsLeased()).isEqualTo(1));
                    await().atMost(Duration.ofSeconds(8))
                            .untilAsserted(
                                    () -> assertThat(next.server.clients()).hasSize(1));
                    client.tell("end");

                    assertThat(client.await("read")).matches("read [1-9][0-9]+ wrong 0");
                    assertThat(client.exitStatus()).isZero();
                }
            }
        }
    }

    @Test
    void aClientOfAnotherUserAttachesAndReads() throws Exception {
        assumeThat(isRoot())
                .as("needs root, to start a process as another user")
                .isTrue();
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var client =
                        ChildProcess.startAs(65_533, copies(), ClientProcess.class, attachFolder(), file, "hold")) {
            client.await("holding");

            assertThat(served.server.clients())
                    .singleElement()
                    .satisfies(listed -> assertThat(listed.uid()).isEqualTo(65_533));
            client.tell("go on");
            assertThat(client.await("released")).isEqualTo("released wrong 0");
        }
    }

    @Test
    void aReadOnlyClientOfAnotherUserFindsNoWayToWriteTheBuffers() throws Exception {
        assumeThat(isRoot())
                .as("needs root, to start a process as another user")
                .isTrue();
        try (var served = ServedPool.of(folder, FEW_BUFFERS, 16, AttachAccess.READ_ONLY);
                var client = ChildProcess.startAs(65_533, copies(), WritingClient.class, attachFolder())) {
            assertThat(client.await("map")).isEqualTo("map EACCES");
            assertThat(client.await("write")).isEqualTo("write EBADF");
            assertThat(client.await("reopen")).isEqualTo("reopen EACCES");
            assertThat(client.await("through /proc")).isEqualTo("through /proc EACCES");
            assertThat(client.await("truncate")).isEqualTo("truncate EINVAL");
            assertThat(client.await("chmod")).isEqualTo("chmod EPERM");
            assertThat(served.server.clients()).isEmpty();
        }
    }

    private static boolean isRoot() {
        return new JnaLinux().processStatus().uid() == 0;
    }

    private Path copies() throws IOException {
        return Files.createDirectory(folder.resolve("classes"));
    }

    @Test
    void aReadOnlyClientReadsWhatOthersLoadedAndTheRestForItself() throws Exception {
        try (var served = ServedPool.of(folder, 2 * BLOCKS, 16, AttachAccess.READ_ONLY);
                var client = PoolClient.attach(attachFolder());
                var space = client.openFile(file);
                var session = client.openSession();
                var pinned = session.pin(space, 7)) {
            assertThat(client.readOnly()).isTrue();
            assertThat(pinned.loaded()).isTrue();
            assertThat(TestFile.holds(pinned.bytes(), 7, 1)).isTrue();
            assertThat(served.pool.readStatistics().numaNodes())
                    .allSatisfy(node -> assertThat(node.buffers().used()).isZero());
        }
    }
}
