package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.attach.AttachAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs in C, sanitized, that share a pool with programs in Java, and die, and fork. */
class CClientTest {
    private static final int BLOCKS = 400;

    /** Smaller than the file, so that pages come and go. */
    private static final int FEW_BUFFERS = 64;

    private static final Duration REAPED_WITHIN = Duration.ofSeconds(20);

    @TempDir
    private Path programs;

    private Path folder;
    private Path file;
    private Path program;

    @BeforeEach
    void compile() throws Exception {
        folder = ServedPool.newFolder();
        file = TestFile.write(folder.resolve("file"), (BLOCKS - 1) * ServedPool.BUFFER_BYTES + 800, 1);
        program = CompiledClient.in(programs);
    }

    @AfterEach
    void removeFolder() throws IOException {
        try (var files = Files.walk(folder)) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private ChildProcess inC(String what) throws IOException {
        return ChildProcess.startProgram(program, folder.resolve("attach"), file, what);
    }

    private ChildProcess inJava(String what) throws IOException {
        return ChildProcess.start(ClientProcess.class, folder.resolve("attach"), file, what);
    }

    @Test
    void aProgramInCFindsWhatOneInJavaReadAndTheReverse() throws Exception {
        try (var _ = ServedPool.of(folder, 2 * BLOCKS);
                var first = inC("once")) {
            assertThat(first.await("read")).isEqualTo("read 400 wrong 0 misses 400");
            assertThat(first.exitStatus()).isZero();
            try (var java = inJava("once");
                    var second = inC("once")) {
                assertThat(java.await("read")).isEqualTo("read 400 wrong 0 misses 0");
                assertThat(second.await("read")).isEqualTo("read 400 wrong 0 misses 0");
            }
        }
    }

    @Test
    void javaAndCEvictEachOthersPagesAndNeverSeeAWrongOne() throws Exception {
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var c1 = inC("loop");
                var c2 = inC("loop");
                var killed = inC("loop");
                var java = inJava("loop")) {
            for (var process : new ChildProcess[] {c1, c2, killed, java}) {
                process.await("looping");
            }
            Thread.sleep(2_000);
            killed.signal("KILL");
            await().atMost(REAPED_WITHIN)
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isEqualTo(3));
            for (var process : new ChildProcess[] {c1, c2, java}) {
                process.tell("stop");
                assertThat(process.await("read")).endsWith(" wrong 0");
                assertThat(process.exitStatus()).isZero();
            }
            assertThat(served.slotsLeased()).isZero();
            assertThat(served.buffersPinned()).isZero();
        }
    }

    @Test
    void aKilledProgramInCGivesBackItsSlotsAndPins() throws Exception {
        try (var served = ServedPool.of(folder, BLOCKS);
                var client = inC("holdmany")) {
            client.await("holding");
            assertThat(served.slotsLeased()).as("two ledgers for 300 pages").isEqualTo(2);
            assertThat(served.buffersPinned()).isEqualTo(300);

            client.signal("KILL");

            await().atMost(REAPED_WITHIN)
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isZero());
            assertThat(served.buffersPinned()).isZero();
        }
    }

    @Test
    void pinnedPagesStayWhileOthersEvict() throws Exception {
        try (var _ = ServedPool.of(folder, FEW_BUFFERS);
                var holder = inC("hold")) {
            holder.await("holding");
            try (var java = inJava("once")) {
                assertThat(java.await("read")).startsWith("read 400 wrong 0");
            }
            holder.tell("release");
            assertThat(holder.await("released")).isEqualTo("released wrong 0");
        }
    }

    @Test
    void aLoaderOfTheProgramFillsPagesAndItsFailureLeavesNothingBehind() throws Exception {
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var client = inC("callback")) {
            assertThat(client.await("callback")).isEqualTo("callback loads 1 good 4 failures 2");
            assertThat(client.exitStatus()).isZero();
            assertThat(served.buffersPinned()).isZero();
        }
    }

    @Test
    void aReadOnlyProgramReadsIntoItsOwnMemory() throws Exception {
        try (var _ = ServedPool.of(folder, FEW_BUFFERS, 16, AttachAccess.READ_ONLY);
                var client = inC("once")) {
            assertThat(client.await("read")).isEqualTo("read 400 wrong 0 misses 400");
            assertThat(client.exitStatus()).isZero();
        }
    }

    @Test
    void aForkedChildOutlivesItsKilledParentWithASlotOfItsOwn() throws Exception {
        killOneOfTwo("parent", "offspring");
    }

    @Test
    void aParentOutlivesItsKilledChild() throws Exception {
        killOneOfTwo("child", "elder");
    }

    private void killOneOfTwo(String victim, String survivor) throws Exception {
        try (var served = ServedPool.of(folder, FEW_BUFFERS);
                var client = inC("fork")) {
            var born = client.await("child").split(" ", -1);
            assertThat(born[3]).as("number of the child, then of the parent").isNotEqualTo(born[5]);
            assertThat(born[7]).as("the child was refused the parent's pin").isEqualTo("1");
            assertThat(served.slotsLeased()).isEqualTo(2);
            long child = Long.parseLong(born[1]);
            var childProcess = ProcessHandle.of(child).orElseThrow();
            var parent = childProcess.parent().orElseThrow();

            assertThat((victim.equals("parent") ? parent : childProcess).destroyForcibly())
                    .isTrue();

            await().atMost(REAPED_WITHIN)
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isEqualTo(1));
            assertThat(client.await(survivor)).isEqualTo(survivor + " wrong 0");
            assertThat(client.await(survivor)).isEqualTo(survivor + " wrong 0");
            for (var process : new ProcessHandle[] {childProcess, parent}) {
                process.destroyForcibly();
            }
            await().atMost(REAPED_WITHIN)
                    .untilAsserted(() -> assertThat(served.slotsLeased()).isZero());
        }
    }
}
