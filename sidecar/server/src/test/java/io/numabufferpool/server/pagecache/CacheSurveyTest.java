package io.numabufferpool.server.pagecache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.numabufferpool.linux.Advice;
import io.numabufferpool.linux.FileSystemStatus;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.PageCache;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.linux.TmpfsFolder;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.server.segment.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page cache of this machine's files, on as many NUMA nodes as it has. */
class CacheSurveyTest {
    private static final int MIB = 1 << 20;

    private final JnaLinux linux = new JnaLinux();

    @TempDir
    Path folder = Path.of("");

    private CacheReport look(boolean spread, Path... names) {
        var nodes = new TreeMap<Integer, CpuSet>();
        nodes.put(0, linux.processStatus().cpusAllowed());
        return new CacheSurvey(linux, nodes, Progress.SILENT).look(List.of(names), spread);
    }

    private Path file(String name, int bytes) throws IOException {
        var path = Files.write(folder.resolve(name), new byte[bytes]);
        try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        return path;
    }

    private void drop(Path path) {
        assumeTrue(
                linux.fileSystem(path).kind() == FileSystemStatus.Kind.OTHER,
                "a file system that can drop its page cache");
        try (var file = linux.open(path, OpenMode.READ_ONLY, 0)) {
            assertThat(new PageCache().drop(file).ok()).isTrue();
        }
    }

    private long residentBytes(Path path) throws IOException {
        try (var file = linux.open(path, OpenMode.READ_ONLY, 0)) {
            return new CacheReader(linux).residentBytes(file, Files.size(path));
        }
    }

    @Test
    void aFileThatWasJustWrittenIsWhollyInMemoryAndOnNodes() throws Exception {
        var path = file("written", 4 * MIB);

        var found = look(false, path);

        assertThat(found.problems()).isEmpty();
        assertThat(found.total().cachedBytes()).isEqualTo(4 * MIB);
        assertThat(found.total().unplacedBytes()).isZero();
    }

    @Test
    void lookingReadsNothingIn() throws Exception {
        var path = file("partly", 8 * MIB);
        drop(path);
        try (var file = linux.open(path, OpenMode.READ_ONLY, 0);
                var window = linux.map(file, 0, 8 * MIB, Protection.READ, 4096)) {
            new PageCache().withoutReadAhead(window.memory());
            assertThat(window.memory().get(JAVA_BYTE, 3 * MIB)).isZero();
        }
        long before = residentBytes(path);

        var found = look(false, path);

        assertThat(before).isPositive().isLessThan(8 * MIB);
        assertThat(found.total().cachedBytes()).isEqualTo(before);
        assertThat(found.total().unplacedBytes()).isZero();
        assertThat(residentBytes(path)).isEqualTo(before);
    }

    @Test
    void aDroppedFileHasNothingInMemoryUntilItIsSpread() throws Exception {
        var path = file("dropped", 5 * MIB + 17);
        drop(path);

        var before = look(false, path);
        var after = look(true, path);

        assertThat(before.total().cachedBytes()).isZero();
        assertThat(after.problems()).isEmpty();
        assertThat(after.spread()).containsExactly(new CacheReport.Spread(path.toString(), 5 * MIB + 17, 0));
        assertThat(after.total().cachedBytes()).isGreaterThanOrEqualTo(5 * MIB + 17);
    }

    @Test
    void whatAnotherMappingHoldsCannotBeDroppedAndIsSaid() throws Exception {
        var path = file("mapped", 2 * MIB);
        drop(path);
        try (var file = linux.open(path, OpenMode.READ_ONLY, 0);
                var window = linux.map(file, 0, 2 * MIB, Protection.READ, 4096)) {
            linux.advise(window.memory(), Advice.POPULATE_READ);

            var found = look(true, path);

            assertThat(found.spread().getFirst().keptBytes()).isEqualTo(2 * MIB);
        }
    }

    @Test
    void aSparseFileLargerThanTwoGibibytesIsCountedWhereItHasBeenRead() throws Exception {
        var path = folder.resolve("sparse");
        long bytes = (3L << 30) + 5;
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
            file.seek(bytes - 1);
            file.write(1);
        }

        var found = look(false, path);

        assertThat(found.problems()).isEmpty();
        assertThat(found.total().bytes()).isEqualTo(bytes);
        assertThat(found.total().cachedBytes()).isPositive().isLessThan(MIB);
        assertThat(found.total().unplacedBytes()).isZero();
    }

    @Test
    void anEmptyFileIsNothingInMemory() throws Exception {
        var found = look(true, file("empty", 0));

        assertThat(found.files()).singleElement().satisfies(file -> {
            assertThat(file.bytes()).isZero();
            assertThat(file.cachedBytes()).isZero();
        });
    }

    @Test
    void aFileOnTmpfsIsCountedButCannotBeSpread() throws Exception {
        try (var tmpfs = new TmpfsFolder()) {
            var path = Files.write(tmpfs.path().resolve("file"), new byte[MIB]);

            var found = look(true, path);

            assertThat(found.total().cachedBytes()).isEqualTo(MIB);
            assertThat(found.problems())
                    .singleElement()
                    .satisfies(
                            problem -> assertThat(problem.message()).contains(path.toString(), "memory only (tmpfs"));
        }
    }

    @Test
    void aLinkInACircleAndAMissingFileAreEachASentence() throws Exception {
        var circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
        var missing = folder.resolve("missing");
        var good = file("good", 4096);

        var found = look(false, circle, missing, good);

        assertThat(found.files()).hasSize(1);
        assertThat(found.problems()).hasSize(2);
        assertThat(found.problems().getFirst().message()).contains("circle").contains("symbolic links");
        assertThat(found.problems().getLast().message())
                .isEqualTo(missing + " does not exist, or is a link to a file that" + " does not.");
    }

    @Test
    void aFolderStandsForAllBelowItAndItsLinksAreNotFollowed() throws Exception {
        Files.createDirectories(folder.resolve("a/b"));
        file("a/one", 4096);
        file("a/b/two", 8192);
        Files.createSymbolicLink(folder.resolve("a/b/up"), folder.resolve("a"));
        Files.createLink(folder.resolve("a/b/hard"), folder.resolve("a/one"));

        var found = look(false, folder.resolve("a"), folder.resolve("a/b/two"));

        assertThat(found.problems()).isEmpty();
        assertThat(found.files()).hasSize(2);
        assertThat(found.total().bytes()).isEqualTo(12288);
        assertThat(found.skippedLinks()).isEqualTo(1);
    }

    @Test
    void aFifoIsNoFileWithAPageCache() throws Exception {
        var fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();

        assertThat(look(false, fifo).problems().getFirst().message()).contains("neither a regular file nor a folder");
    }

    @Test
    void moreFilesThanTheLimitAreSaidNotDropped() throws Exception {
        file("one", 1);
        file("two", 1);

        var found = FoundFiles.below(List.of(folder), 1);

        assertThat(found.files()).hasSize(1);
        assertThat(found.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("more than 1 files"));
    }

    @Test
    void aFileOfSomebodyElseIsRefusedWithWhoMayAsk() throws Exception {
        assumeTrue(linux.processStatus().uid() != 0, "an ordinary user: root may ask about every file");
        var path = Path.of("/etc/passwd");

        assertThat(look(false, path).problems().getFirst().message())
                .contains("belongs to uid 0")
                .contains("only to its owner and to those who may write it");
    }

    @Test
    void anUnreadableFileIsASentence() throws Exception {
        assumeTrue(linux.processStatus().uid() != 0, "an ordinary user: root reads every file");
        var path = file("secret", 4096);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---------"));

        assertThat(look(false, path).problems().getFirst().message())
                .contains("EACCES", "Run as a user who may read it");
    }
}
