package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on the kernel of this machine. */
class JnaLinuxTest extends LinuxContract {
    private static final long GIB = 1L << 30;

    private final Linux linux = new JnaLinux();
    private final TmpfsFolder folder = new TmpfsFolder();

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return folder.path();
    }

    @Test
    void aMappingCanBeAlignedToAGibibyte() {
        try (var file = newFile("gibibyte", 2 * MIB);
                var first = linux.map(file, 0, 2 * MIB, Protection.READ_WRITE, GIB);
                var second = linux.map(file, 0, 2 * MIB, Protection.READ_WRITE, GIB)) {
            assertThat(first.memory().address() % GIB).isZero();
            assertThat(second.memory().address() % GIB).isZero();
            assertThat(second.memory().address()).isNotEqualTo(first.memory().address());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 47, 1L << 58, Long.MAX_VALUE})
    void moreAddressSpaceThanThereIsIsRefused(long bytes) {
        try (var file = newFile("large", 4096)) {
            assertFails(Errno.ENOMEM, () -> linux.map(file, 0, bytes, Protection.READ, 4096), "mmap of " + bytes);
        }
    }

    @Test
    void aFifoThatSomeoneNamesByMistakeDoesNotStopUs() throws Exception {
        var fifo = folder().resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();

        try (var file = linux.open(fifo, OpenMode.READ_ONLY, 0)) {
            assertThat(linux.status(file).kind()).isEqualTo(FileStatus.Kind.OTHER);
        }
    }

    @Test
    void aFileNameMayHaveAnyLetters() {
        var encoder = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder();
        assumeTrue(
                encoder.canEncode("größe \u4e2d"),
                "THIS JVM'S FILE NAMES ARE " + encoder.charset() + ": set LC_ALL=C.UTF-8");
        newFile("größe 中文 %41", 1).close();

        assertThat(folder().resolve("größe 中文 %41")).exists();
    }

    @Test
    void theStatusIsThatOfTheJdk() throws Exception {
        try (var file = newFile("same", 4097)) {
            var status = linux.status(file);
            var jdk = Files.readAttributes(folder().resolve("same"), "unix:dev,ino,uid,size,lastModifiedTime");

            assertThat(status.device()).isEqualTo(jdk.get("dev"));
            assertThat(status.inode()).isEqualTo(jdk.get("ino"));
            assertThat(status.uid()).isEqualTo(jdk.get("uid"));
            assertThat(status.bytes()).isEqualTo(jdk.get("size"));
            assertThat(((FileTime) jdk.get("lastModifiedTime")).to(TimeUnit.NANOSECONDS))
                    .isEqualTo(status.modifiedNanos());
        }
    }

    @Test
    void closingAMappingWhileCallsUseItHarmsNobody() throws Exception {
        try (var file = newFile("race", 32 * MIB)) {
            for (int round = 0; round < 20; round++) {
                var mapping = linux.map(file, 0, 32 * MIB, Protection.READ_WRITE, 4096);
                var started = new CountDownLatch(1);
                var populating = CompletableFuture.supplyAsync(() -> {
                    started.countDown();
                    return linux.advise(mapping.memory(), Advice.POPULATE_WRITE);
                });
                started.await();
                mapping.close();

                // Either the call was first, and its pages stayed mapped until it ended, or it was refused.
                assertThat(populating
                                .handle((errno, failure) -> failure != null || errno == Errno.OK)
                                .get(30, TimeUnit.SECONDS))
                        .isTrue();
            }
        }
    }

    @AfterEach
    void deleteFolder() {
        folder.close();
    }
}
