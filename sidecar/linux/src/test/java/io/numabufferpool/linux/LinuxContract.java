package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What {@link Linux} promises about files, memory, locks and waiting, whoever implements it. */
abstract class LinuxContract {
    static final long MIB = 1 << 20;
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

    abstract Linux linux();

    /** An empty folder on tmpfs. */
    abstract Path folder();

    LinuxFile newFile(String name, long bytes) {
        var file = linux().open(folder().resolve(name), OpenMode.CREATE_NEW, 0600);
        linux().setLength(file, bytes);
        return file;
    }

    static void assertFails(Errno errno, ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(LinuxException.class, e -> {
            assertThat(e.errno()).isEqualTo(errno);
            assertThat(e.getMessage()).contains(errno.name());
            assertThat(words).allSatisfy(word -> assertThat(e.getMessage()).contains(word));
        });
    }

    // ---- files ------------------------------------------------------------------------------------------------

    @Test
    void aNewFileHasTheLengthAndThePermissionsAskedFor() {
        try (var file = linux().open(folder().resolve("new"), OpenMode.CREATE_NEW, 0666)) {
            linux().setLength(file, 12345);

            var status = linux().status(file);

            assertThat(status.bytes()).isEqualTo(12345);
            assertThat(status.permissions()).isEqualTo(0666);
            assertThat(status.kind()).isEqualTo(FileStatus.Kind.REGULAR);
            assertThat(status.inode()).isNotZero();
            assertThat(status.modifiedNanos()).isPositive();
        }
    }

    @Test
    void createNewRefusesAFileThatIsThereAndNamesIt() {
        newFile("twice", 1).close();

        assertFails(Errno.EEXIST, () -> linux().open(folder().resolve("twice"), OpenMode.CREATE_NEW, 0600), "twice");
    }

    @Test
    void createOpensWhatIsThereAndLeavesItsPermissions() {
        newFile("there", 77).close();

        try (var again = linux().open(folder().resolve("there"), OpenMode.CREATE, 0666)) {
            assertThat(linux().status(again).bytes()).isEqualTo(77);
            assertThat(linux().status(again).permissions()).isEqualTo(0600);
        }
    }

    @Test
    void openOfNothingSaysWhatWasOpened() {
        assertFails(
                Errno.ENOENT,
                () -> linux().open(folder().resolve("nothing"), OpenMode.READ_ONLY, 0),
                "nothing",
                "READ_ONLY",
                "ENOENT");
    }

    @Test
    void aFileIsTheSameFileThroughItsReopenedDescriptorWhichCannotWrite() {
        try (var file = newFile("re", 8192);
                var readOnly = linux().reopen(file, OpenMode.READ_ONLY);
                var arena = Arena.ofConfined()) {
            assertThat(linux().status(readOnly).inode())
                    .isEqualTo(linux().status(file).inode());
            assertFails(Errno.EBADF, () -> linux().write(readOnly, arena.allocate(8), 0));
            assertFails(Errno.EACCES, () -> linux().map(readOnly, 0, 8192, Protection.READ_WRITE, 4096));
        }
    }

    @Test
    void whatWasWrittenIsRead() {
        try (var file = newFile("data", 0);
                var arena = Arena.ofConfined()) {
            var source = arena.allocateFrom("page data");
            var target = arena.allocate(100);

            assertThat(linux().write(file, source, 4096)).isEqualTo(source.byteSize());
            assertThat(linux().read(file, target, 4096)).isEqualTo(source.byteSize());
            assertThat(target.getString(0)).isEqualTo("page data");
            assertThat(linux().read(file, target, 8192)).isZero();
        }
    }

    @Test
    void aClosedFileAnswersEbadf() {
        var file = newFile("closed", 1);
        file.close();
        file.close();

        assertFails(Errno.EBADF, () -> linux().status(file), "closed");
        assertFails(Errno.EBADF, () -> linux().setLength(file, 2), "2 bytes");
        assertThat(linux().tryLock(file, 1)).isEqualTo(Errno.EBADF);
        assertThat(linux().punchHole(file, 0, 4096)).isEqualTo(Errno.EBADF);
    }

    @Test
    void heapMemoryAndReadOnlyMemoryAreRefusedBeforeTheKernelSeesThem() {
        try (var file = newFile("heap", 4096);
                var arena = Arena.ofConfined()) {
            var heap = MemorySegment.ofArray(new byte[16]);
            var readOnly = arena.allocate(16).asReadOnly();

            assertThatThrownBy(() -> linux().read(file, heap, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> linux().read(file, readOnly, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> linux().advise(heap, Advice.POPULATE_WRITE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theFolderIsATmpfsWithPagesOf4096Bytes() {
        var status = linux().fileSystem(folder());

        assertThat(status.kind()).isEqualTo(FileSystemStatus.Kind.TMPFS);
        assertThat(status.pageBytes()).isEqualTo(4096);
    }

    // ---- memory -----------------------------------------------------------------------------------------------

    @Test
    void aMappingIsAlignedAsAskedAndShowsTheFile() {
        try (var file = newFile("map", 4 * MIB);
                var mapping = linux().map(file, 0, 4 * MIB, Protection.READ_WRITE, 2 * MIB);
                var second = linux().map(file, 0, 4 * MIB, Protection.READ, 2 * MIB)) {
            mapping.memory().set(JAVA_LONG, 3 * MIB, 42);

            assertThat(mapping.memory().address() % (2 * MIB)).isZero();
            assertThat(mapping.memory().byteSize()).isEqualTo(4 * MIB);
            assertThat(second.memory().get(JAVA_LONG, 3 * MIB)).isEqualTo(42);
            assertThat(second.memory().isReadOnly()).isTrue();
        }
    }

    @Test
    void aPartOfAFileMapsFromItsOffset() {
        try (var file = newFile("part", 2 * MIB);
                var whole = linux().map(file, 0, 2 * MIB, Protection.READ_WRITE, 4096);
                var part = linux().map(file, MIB, MIB, Protection.READ, 4096)) {
            whole.memory().set(JAVA_LONG, MIB + 8, 7);

            assertThat(part.memory().get(JAVA_LONG, 8)).isEqualTo(7);
        }
    }

    @Test
    void neighbouringPartsOfAFileStayMappingsOfTheirOwn() {
        try (var file = newFile("parts", 4 * MIB);
                var last = linux().map(file, 3 * MIB, MIB, Protection.READ_WRITE, 4096);
                var third = linux().map(file, 2 * MIB, MIB, Protection.READ_WRITE, 4096);
                var second = linux().map(file, MIB, MIB, Protection.READ_WRITE, 4096);
                var first = linux().map(file, 0, MIB, Protection.READ_WRITE, 4096)) {
            for (var part : List.of(first, second, third, last)) {
                assertThat(linux().advise(part.memory(), Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            }

            for (var part : List.of(first, second, third, last)) {
                assertThat(linux().numaMaps(part.memory())).hasSize(1);
                assertThat(bytesPlaced(part.memory())).isEqualTo(MIB);
            }
        }
    }

    @Test
    void memoryOfAClosedMappingThrowsInsteadOfReadingAStrangersPage() {
        var mapping = mapOne("closing");
        var memory = mapping.memory();
        var slice = memory.asSlice(4096, 4096);

        mapping.close();
        mapping.close();

        assertThatThrownBy(() -> memory.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> linux().advise(slice, Advice.POPULATE_READ)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> linux().futexWake(slice, 1)).isInstanceOf(IllegalStateException.class);
    }

    private Mapping mapOne(String name) {
        try (var file = newFile(name, MIB)) {
            return linux().map(file, 0, MIB, Protection.READ_WRITE, 4096);
        }
    }

    @Test
    void aMappingOutlivesItsDescriptor() {
        try (var mapping = mapOne("outlive")) {
            mapping.memory().set(JAVA_LONG, 0, 1);

            assertThat(mapping.memory().get(JAVA_LONG, 0)).isEqualTo(1);
        }
    }

    @Test
    void mapRefusesSizesThatCannotBe() {
        try (var file = newFile("sizes", 4096)) {
            assertThatThrownBy(() -> linux().map(file, 0, 0, Protection.READ, 4096))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> linux().map(file, 0, 4096, Protection.READ, 3000))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("power of two");
            assertFails(Errno.EINVAL, () -> linux().map(file, 100, 4096, Protection.READ, 4096), "offset 100");
        }
    }

    @Test
    void populateFillsTheFileAndPunchHoleEmptiesIt() {
        try (var file = newFile("populate", 2 * MIB);
                var mapping = linux().map(file, 0, 2 * MIB, Protection.READ_WRITE, 4096)) {
            var memory = mapping.memory();

            assertThat(linux().advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            assertThat(bytesPlaced(memory)).isEqualTo(2 * MIB);
            memory.set(JAVA_LONG, MIB, 5);
            assertThat(linux().punchHole(file, MIB, MIB)).isEqualTo(Errno.OK);

            assertThat(bytesPlaced(memory)).isEqualTo(MIB);
            assertThat(memory.get(JAVA_LONG, MIB)).isZero();
        }
    }

    @Test
    void removeFreesWholePagesOnly() {
        try (var mapping = mapOne("remove")) {
            var memory = mapping.memory();
            assertThat(linux().advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(linux().advise(memory.asSlice(0, 100), Advice.REMOVE)).isEqualTo(Errno.EINVAL);
            assertThat(bytesPlaced(memory)).isEqualTo(MIB);
            assertThat(linux().advise(memory.asSlice(0, MIB / 2), Advice.REMOVE))
                    .isEqualTo(Errno.OK);
            assertThat(bytesPlaced(memory)).isEqualTo(MIB / 2);
        }
    }

    private long bytesPlaced(MemorySegment memory) {
        return linux().numaMaps(memory).stream().mapToLong(NumaMaps.Line::bytes).sum();
    }

    @Test
    void populatePastTheEndOfTheFileIsAnErrorNotASignal() {
        try (var file = newFile("short", MIB);
                var mapping = linux().map(file, 0, 2 * MIB, Protection.READ_WRITE, 4096)) {
            assertThat(linux().advise(mapping.memory(), Advice.POPULATE_WRITE)).isEqualTo(Errno.EFAULT);
            assertThat(bytesPlaced(mapping.memory())).isEqualTo(MIB);
        }
    }

    @Test
    void adviceForAnAddressInsideAPageIsInvalid() {
        try (var mapping = mapOne("inside")) {
            assertThat(linux().advise(mapping.memory().asSlice(100, 4096), Advice.POPULATE_WRITE))
                    .isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void memoryBoundToAnAllowedNodeLiesThere() {
        var allowed = linux().processStatus().memsAllowed();
        int numaNode = allowed.stream().findFirst().orElseThrow();
        try (var mapping = mapOne("bind")) {
            var memory = mapping.memory();
            var only = NumaNodeSet.of(numaNode);

            assertThat(linux().bindMemory(memory, MemoryPolicy.BIND, only, MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);
            assertThat(linux().advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            var lines = linux().numaMaps(memory);
            assertThat(lines).hasSize(1);
            assertThat(lines.getFirst().policy()).isEqualTo("bind:" + numaNode);
            assertThat(lines.getFirst().bytesOn(numaNode)).isEqualTo(MIB);
        }
    }

    @Test
    void memoryBoundToNodesThatAreNotAllowedIsInvalid() {
        try (var mapping = mapOne("outside")) {
            var memory = mapping.memory();

            assertThat(linux().bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.of(900), MemoryMove.LEAVE))
                    .isEqualTo(Errno.EINVAL);
            assertThat(linux().bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.of(60_000), MemoryMove.LEAVE))
                    .isEqualTo(Errno.EINVAL);
            assertThat(linux().bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.empty(), MemoryMove.LEAVE))
                    .isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void theTasksPolicyIsTheOneThatWasSet() {
        int numaNode =
                linux().processStatus().memsAllowed().stream().findFirst().orElseThrow();
        try {
            assertThat(linux().setTaskPolicy(MemoryPolicy.BIND, NumaNodeSet.of(numaNode)))
                    .isEqualTo(Errno.OK);
            assertThat(linux().taskPolicy()).contains(new TaskPolicy(MemoryPolicy.BIND, NumaNodeSet.of(numaNode)));
        } finally {
            assertThat(linux().setTaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty()))
                    .isEqualTo(Errno.OK);
        }
        assertThat(linux().taskPolicy()).contains(new TaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty()));
    }

    @Test
    void collapseMakesRealHugePagesOrSaysWhyNot() {
        try (var file = newFile("collapse", 4 * MIB);
                var mapping = linux().map(file, 0, 4 * MIB, Protection.READ_WRITE, 2 * MIB)) {
            var memory = mapping.memory();
            assertThat(linux().advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            var errno = linux().advise(memory, Advice.COLLAPSE);

            long expected = errno.ok() ? 4 * MIB : 0;
            assertThat(errno).isIn(Errno.OK, Errno.EINVAL, Errno.EAGAIN, Errno.ENOMEM);
            assertThat(linux().hugeBytes(memory).transparentBytes()).isEqualTo(expected);
        }
    }

    // ---- where threads run ------------------------------------------------------------------------------------

    @Test
    void aThreadBoundToOneCpuRunsThere() {
        var before = linux().affinity();
        int cpu = before.stream().max().orElseThrow();
        try {
            assertThat(linux().setAffinity(CpuSet.of(cpu))).isEqualTo(Errno.OK);

            assertThat(linux().affinity()).isEqualTo(CpuSet.of(cpu));
            assertThat(linux().currentCpu()).isEqualTo(cpu);
        } finally {
            assertThat(linux().setAffinity(before)).isEqualTo(Errno.OK);
        }
    }

    @Test
    void affinityToNoCpuOfTheMachineIsInvalid() {
        assertThat(linux().setAffinity(CpuSet.of(60_000))).isEqualTo(Errno.EINVAL);
        assertThat(linux().setAffinity(CpuSet.empty())).isEqualTo(Errno.EINVAL);
    }

    @Test
    void aThreadThatIsNotOursCannotBeBound() {
        assertThat(linux().threadIds()).isNotEmpty().doesNotContain(Integer.MAX_VALUE);
        assertThat(linux().setAffinity(Integer.MAX_VALUE, linux().affinity())).isEqualTo(Errno.ESRCH);
    }

    @Test
    void theProcessStatusNamesNodesAndCpus() {
        var status = linux().processStatus();

        assertThat(status.memsAllowed().isEmpty()).isFalse();
        assertThat(status.cpusAllowed().isEmpty()).isFalse();
        assertThat(linux().processId()).isPositive();
        assertThat(linux().kernelRelease()).matches("[0-9]+\\.[0-9]+.*");
    }

    // ---- waiting and locks ------------------------------------------------------------------------------------

    @Test
    void aFutexWaitOnAnotherValueReturnsAtOnce() {
        try (var mapping = mapOne("futex-value")) {
            mapping.memory().set(JAVA_INT, 64, 2);

            assertThat(linux().futexWait(mapping.memory().asSlice(64, 4), 1, LONG_NANOS))
                    .isEqualTo(Errno.EAGAIN);
        }
    }

    @Test
    void aFutexWaitEndsWithItsTime() {
        try (var mapping = mapOne("futex-time")) {
            var word = mapping.memory().asSlice(64, 4);

            assertThat(linux().futexWait(word, 0, SHORT_NANOS)).isEqualTo(Errno.ETIMEDOUT);
            assertThat(linux().futexWait(word, 0, -1)).isEqualTo(Errno.ETIMEDOUT);
            assertThat(linux().futexWait(mapping.memory().asSlice(65, 4), 0, SHORT_NANOS))
                    .isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void aFutexWakeReachesAWaiterThroughAnotherMappingOfTheFile() throws Exception {
        try (var file = newFile("futex-wake", 4096);
                var here = linux().map(file, 0, 4096, Protection.READ_WRITE, 4096);
                var there = linux().map(file, 0, 4096, Protection.READ_WRITE, 4096)) {
            var waiting = CompletableFuture.supplyAsync(
                    () -> linux().futexWait(there.memory().asSlice(64, 4), 0, LONG_NANOS));

            int woken = 0;
            for (long end = System.nanoTime() + LONG_NANOS; woken == 0 && System.nanoTime() < end; ) {
                woken = linux().futexWake(here.memory().asSlice(64, 4), 1);
            }

            assertThat(woken).isEqualTo(1);
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(Errno.OK);
        }
    }

    @Test
    void aLockedByteIsBusyForAnotherDescriptionAndFreeWhenItsOwnerCloses() {
        var path = folder().resolve("locks");
        newFile("locks", 0).close();
        var first = linux().open(path, OpenMode.READ_WRITE, 0);
        try (var second = linux().open(path, OpenMode.READ_WRITE, 0)) {
            assertThat(linux().tryLock(first, 5)).isEqualTo(Errno.OK);
            assertThat(linux().tryLock(first, 5)).isEqualTo(Errno.OK);
            assertThat(linux().tryLock(second, 5)).isEqualTo(Errno.EAGAIN);
            assertThat(linux().tryLock(second, 6)).isEqualTo(Errno.OK);

            first.close();

            assertThat(linux().tryLock(second, 5)).isEqualTo(Errno.OK);
            linux().unlock(second, 5);
        }
    }

    @Test
    void aByteIsLockedByManyTogetherOrByOneAlone() {
        var path = folder().resolve("shared");
        newFile("shared", 0).close();
        var first = linux().open(path, OpenMode.READ_WRITE, 0);
        try (var second = linux().open(path, OpenMode.READ_WRITE, 0)) {
            assertThat(linux().tryLock(first, 5)).isEqualTo(Errno.OK);
            assertThat(linux().tryLockShared(second, 5)).isEqualTo(Errno.EAGAIN);
            assertThat(linux().tryLockShared(first, 5)).isEqualTo(Errno.OK);
            assertThat(linux().tryLockShared(second, 5)).isEqualTo(Errno.OK);
            assertThat(linux().tryLock(second, 5)).isEqualTo(Errno.EAGAIN);

            first.close();

            assertThat(linux().tryLock(second, 5)).isEqualTo(Errno.OK);
            linux().unlock(second, 5);
            try (var third = linux().open(path, OpenMode.READ_WRITE, 0)) {
                assertThat(linux().tryLock(third, 5)).isEqualTo(Errno.OK);
            }
        }
    }

    @Test
    void anUnlockedByteIsFree() {
        var path = folder().resolve("unlock");
        newFile("unlock", 0).close();
        try (var first = linux().open(path, OpenMode.READ_WRITE, 0);
                var second = linux().open(path, OpenMode.READ_WRITE, 0)) {
            assertThat(linux().tryLock(first, 1)).isEqualTo(Errno.OK);

            linux().unlock(first, 1);

            assertThat(linux().tryLock(second, 1)).isEqualTo(Errno.OK);
        }
    }
}
