package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The crash table: a process is killed (SIGKILL) right after each store, and reaped; nothing may be left of it. */
class CrashTableTest {
    private static final long BUFFERS = 16;
    private static final int DEAD = 1;
    private static final int DEAD_REAPER = 2;
    private static final int SIDECAR = 3;

    @ParameterizedTest
    @EnumSource(value = CrashPoint.class, mode = EnumSource.Mode.MATCH_NONE, names = "REAPED_.*")
    void whoIsKilledAfterAStoreCostsTheOthersNothing(CrashPoint point) throws Exception {
        try (var folder = new TmpfsFolder();
                var files = SegmentFiles.create(folder.path(), layout())) {
            kill(start(point, "work", folder.path().toString(), "" + DEAD), point);
            var sidecar = files.attach(SIDECAR);

            sidecar.reaper().reap(Set.of(DEAD));

            checkNothingIsLeft(sidecar);
        }
    }

    @ParameterizedTest
    @EnumSource(value = CrashPoint.class, mode = EnumSource.Mode.MATCH_ALL, names = "REAPED_.*")
    void aReaperThatIsKilledIsReapedByTheNext(CrashPoint point) throws Exception {
        for (var first : List.of(
                CrashPoint.UNMAPPING_SET, CrashPoint.ENTRY_INSERTED, CrashPoint.LOAD_PINNED, CrashPoint.WRITING_SET)) {
            try (var folder = new TmpfsFolder();
                    var files = SegmentFiles.create(folder.path(), layout())) {
                kill(start(first, "work", folder.path().toString(), "" + DEAD), first);
                kill(start(point, "reap", folder.path().toString(), "" + DEAD_REAPER, "" + DEAD), point);
                var sidecar = files.attach(SIDECAR);

                sidecar.reaper().reap(Set.of(DEAD, DEAD_REAPER));

                checkNothingIsLeft(sidecar);
            }
        }
    }

    @Test
    void noPointIsArmedUnlessThePropertySaysSo() {
        assertThat(CrashPoint.ARMED).isFalse();
    }

    private static SegmentLayout layout() {
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, BUFFERS, BUFFERS);
        return SegmentLayout.of(
                List.of(shape), TestSegment.BUFFER_BYTES, BUFFERS * TestSegment.BUFFER_BYTES, 8, 8, 4096);
    }

    private static Process start(CrashPoint point, String... args) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-D" + CrashPoint.PROPERTY + "=" + point,
                "-cp",
                System.getProperty("java.class.path"),
                CrashClient.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void kill(Process process, CrashPoint point) throws IOException, InterruptedException {
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(output.readLine()).as("the process stops at its point").isEqualTo(point.name());
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("128 + SIGKILL").isEqualTo(128 + 9);
    }

    /** No pin, lock or owner; the pages that are there are right; all buffers can be pinned at once; a space can be registered. */
    private static void checkNothingIsLeft(BufferPool pool) throws IOException {
        PoolChecks.checkNothingIsHeld(pool);
        assertThat(pool.slotsOf(DEAD) + pool.slotsOf(DEAD_REAPER)).isZero();
        assertThat(pool.bufferCount()).isEqualTo(BUFFERS);
        int space = pool.registerSpace(new SpaceIdentity(1, 2, 3, 4, 5, 6));
        assertThat(pool.registerSpace(new SpaceIdentity(1, 2, 3, 4, 5, 6))).isEqualTo(space);
        checkChanges(pool);
        var loader = BlockContent.of(CrashClient.SPACE);
        try (var session = pool.openSession()) {
            var handles = new long[(int) BUFFERS];
            for (long block = 0; block < CrashClient.BLOCKS; block++) {
                long handle = session.tryPin(CrashClient.SPACE, block);
                if (handle != 0) {
                    BlockContent.check(session.memory(handle), CrashClient.SPACE, block);
                    session.unpin(handle);
                }
            }
            for (int i = 0; i < BUFFERS; i++) {
                handles[i] = session.pin(CrashClient.SPACE, 5000 + i, loader);
            }
            for (int i = 0; i < BUFFERS; i++) {
                BlockContent.check(session.memory(handles[i]), CrashClient.SPACE, 5000 + i);
            }
            session.unpinAll(handles, handles.length);
        }
        PoolChecks.checkNothingIsHeld(pool);
    }

    /** After a recovery, where one is asked for, every page of the changed space is the old or the new one as a whole. */
    private static void checkChanges(BufferPool pool) throws IOException {
        var file = new FakeSpaceFile(new FakeSpaceFile.Content());
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        var loader = BlockContent.of(space.number());
        try (var session = pool.openSession()) {
            long epoch = space.beginRecovery(1);
            if (epoch >= 0) {
                session.reloadUnlogged(space.number(), -1, loader);
                space.endRecovery(epoch, true);
            }
            space.requireWhole();
            for (long block = 0; block < CrashClient.CHANGED_BLOCKS; block++) {
                long handle = session.pin(space.number(), block, loader);
                session.lockExclusive(handle);
                var page = session.writableMemory(handle);
                boolean changed = page.get(ValueLayout.JAVA_LONG, 0)
                        == LookupTable.hash(space.number(), block + CrashClient.CHANGED);
                BlockContent.check(page, space.number(), block + (changed ? CrashClient.CHANGED : 0));
                session.unlockExclusiveDirty(handle, 0);
                assertThat(session.flush(handle, (source, number, logPosition) -> {}))
                        .isTrue();
                session.unpin(handle);
            }
        }
        space.close(file, 1);
        assertThat(pool.openWritableSpace(file, Durability.WRITE_THROUGH).number())
                .as("nothing was left to write")
                .isEqualTo(space.number());
        space.close(file, 1);
    }
}
