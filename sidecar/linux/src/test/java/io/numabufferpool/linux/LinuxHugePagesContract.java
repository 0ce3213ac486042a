package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What {@link Linux} promises about files of reserved huge pages. */
abstract class LinuxHugePagesContract {
    private static final long HUGE = 2L << 20;

    abstract Linux linux();

    /** A folder on hugetlbfs with pages of 2 MiB, at least 8 of them free. */
    abstract Path folder();

    private Path path() {
        return folder().resolve("numapool-contract-" + ProcessHandle.current().pid());
    }

    /** Removes the file of {@link #path()}. */
    abstract void delete(Path path);

    private LinuxFile newFile(long bytes) {
        delete(path());
        var file = linux().open(path(), OpenMode.CREATE_NEW, 0600);
        delete(path());
        linux().setLength(file, bytes);
        return file;
    }

    @Test
    void theFileSystemTellsItsPages() {
        var status = linux().fileSystem(folder());

        assertThat(status.kind()).isEqualTo(FileSystemStatus.Kind.HUGETLBFS);
        assertThat(status.pageBytes()).isEqualTo(HUGE);
    }

    @Test
    void aMappingOfHugePagesIsPlacedPopulatedAndCounted() {
        try (var file = newFile(4 * HUGE);
                var mapping = linux().map(file, 0, 4 * HUGE, Protection.READ_WRITE, 4096)) {
            var memory = mapping.memory();

            assertThat(memory.address() % HUGE).isZero();
            assertThat(linux().advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            memory.set(JAVA_LONG, 3 * HUGE, 8);

            assertThat(linux().numaMaps(memory).stream()
                            .mapToLong(NumaMaps.Line::bytes)
                            .sum())
                    .isEqualTo(4 * HUGE);
            assertThat(linux().numaMaps(memory))
                    .allSatisfy(line -> assertThat(line.pageBytes()).isEqualTo(HUGE));
            assertThat(linux().hugeBytes(memory)).isEqualTo(new HugeBytes(0, 4 * HUGE));
        }
    }

    @Test
    void aPunchedHoleGivesItsPagesBack() {
        try (var file = newFile(2 * HUGE);
                var mapping = linux().map(file, 0, 2 * HUGE, Protection.READ_WRITE, 4096)) {
            assertThat(linux().advise(mapping.memory(), Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(linux().punchHole(file, HUGE, HUGE)).isEqualTo(Errno.OK);

            assertThat(linux().hugeBytes(mapping.memory()).reservedBytes()).isEqualTo(HUGE);
        }
    }

    @Test
    void aLengthThatIsNotWholePagesIsRefused() {
        try (var file = newFile(HUGE)) {
            LinuxContract.assertFails(Errno.EINVAL, () -> linux().setLength(file, HUGE + 4096), "2101248 bytes");
        }
    }

    @Test
    void aFileOfHugePagesCannotBeWrittenByCallsOnlyMapped() {
        try (var file = newFile(HUGE);
                var arena = Arena.ofConfined()) {
            LinuxContract.assertFails(Errno.EINVAL, () -> linux().write(file, arena.allocate(4096), 0), "pwrite");
        }
    }

    /** Twice the pages that the fake machine and the one that runs all lanes reserve. */
    @Test
    void aMappingSetsNoPagesAsideSoRoomToGrowCostsNone() {
        long morePagesThanThereAre = 128 * HUGE;
        try (var file = newFile(morePagesThanThereAre);
                var mapping = linux().map(file, 0, morePagesThanThereAre, Protection.READ_WRITE, 4096)) {
            assertThat(linux().advise(mapping.memory().asSlice(0, HUGE), Advice.POPULATE_WRITE))
                    .isEqualTo(Errno.OK);
            assertThat(linux().hugeBytes(mapping.memory()).reservedBytes()).isEqualTo(HUGE);
        }
    }

    @Test
    void anOffsetInsideAHugePageIsRefused() {
        try (var file = newFile(2 * HUGE)) {
            LinuxContract.assertFails(
                    Errno.EINVAL, () -> linux().map(file, 4096, HUGE, Protection.READ_WRITE, 4096), "offset 4096");
        }
    }
}
