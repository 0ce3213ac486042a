package io.numabufferpool.server.adopt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of programs that nobody vouches for. */
class SegmentReportsTest {
    private static final String GOOD = """
            version=1
            process=7
            program=db
            state=Spilled
            why=a=b
            kind=SysV
            method=Mbind
            bytes=4096
            hugeBytes=0
            wanted.0=2048
            wanted.1=2048
            placed.1=4096
            end=1
            """;

    @TempDir
    private Path folder;

    private void write(String name, String text) throws Exception {
        Files.writeString(folder.resolve(name), text);
    }

    @Test
    void wholeReportIsRead() throws Exception {
        write("7-1-1.report", GOOD);
        write(".7-1-2.draft", "version=1");

        var found = SegmentReports.read(folder);

        assertThat(found.unreadable()).isEmpty();
        assertThat(found.reports()).hasSize(1);
        var report = found.reports().getFirst();
        assertThat(report.why()).isEqualTo("a=b");
        assertThat(report.wanted()).containsEntry(0, 2048L).containsEntry(1, 2048L);
        assertThat(report.placed()).containsOnlyKeys(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no equal sign",
                "version=2\nend=1",
                "version=1\nbytes=1",
                "version=1\nbytes=-1\nend=1",
                "version=1\nbytes=9999999999999999999\nend=1",
                "version=1\nplaced.0=much\nend=1"
            })
    void anythingElseIsNamedAndSkipped(String text) throws Exception {
        write("good.report", GOOD);
        write("bad.report", text);

        var found = SegmentReports.read(folder);

        assertThat(found.reports()).hasSize(1);
        assertThat(found.unreadable()).hasSize(1).first().asString().contains("bad.report");
    }

    @Test
    void hugeFileAndLinkAndFolderAreNotFollowed() throws Exception {
        Files.write(folder.resolve("huge.report"), new byte[1 << 20]);
        Files.createSymbolicLink(folder.resolve("link.report"), Path.of("/dev/zero"));
        Files.createDirectory(folder.resolve("folder.report"));

        var found = SegmentReports.read(folder);

        assertThat(found.reports()).isEmpty();
        assertThat(found.unreadable()).hasSize(3);
    }

    @Test
    void folderThatIsGoneIsSaid() {
        assertThat(SegmentReports.read(folder.resolve("gone")).unreadable()).hasSize(1);
    }

    @Test
    void placeMountedNoexecIsFoundByTheLongestMountPoint() {
        var mounts = List.of("/dev/a / ext4 rw 0 0", "tmpfs /tmp tmpfs rw,nosuid,noexec 0 0", "x /tmpfs tmpfs rw 0 0");

        assertThat(AdoptLibrary.mountedWithoutExecution(Path.of("/tmp"), mounts))
                .isTrue();
        assertThat(AdoptLibrary.mountedWithoutExecution(Path.of("/var/tmp"), mounts))
                .isFalse();
        assertThat(AdoptLibrary.mountedWithoutExecution(Path.of("/tmpfs"), mounts))
                .isFalse();
    }
}
