package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.linux.TmpfsFolder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pool whose file is edited while programs read through it. */
class LiveSegmentTest {
    private static final long MIB = 1L << 20;
    private static final String PUBLISHED = "segment published  generation=([0-9a-f]+)";

    private final TmpfsFolder folder = new TmpfsFolder();

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    private Path dir() {
        return folder.path().resolve("pool");
    }

    private Path attach() {
        return dir().resolve("attach");
    }

    private Path write(String spec) throws Exception {
        var file = folder.path().resolve("pool.yaml");
        var written = folder.path().resolve("pool.yaml.new");
        Files.writeString(
                written,
                "apiVersion: numabufferpool.io/v1alpha1\nkind: NumaBufferPool\nmetadata: {name: orders}\nspec: " + spec
                        + "\n");
        return Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private ServeProcess serve(String spec) throws Exception {
        return ServeProcess.start(
                folder.path(), "serve", "-f", write(spec).toString(), "--dir", dir().toString(), "--http", "0");
    }

    private static long sum(Iterable<NumaNodeUsage> rows, ToLongFunction<NumaNodeUsage> column) {
        long sum = 0;
        for (var row : rows) {
            sum += column.applyAsLong(row);
        }
        return sum;
    }

    private void awaitSize(ServeProcess serve, long mib) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var status = serve.status(attach()).status();
            assertThat(status.phase()).isEqualTo(Phase.Serving);
            assertThat(sum(status.numaNodes(), NumaNodeUsage::placedBytes)).isEqualTo(mib * MIB);
            assertThat(sum(status.numaNodes(), NumaNodeUsage::wantedBytes)).isEqualTo(mib * MIB);
            assertThat(sum(status.numaNodes(), NumaNodeUsage::bufferCount)).isEqualTo(mib * MIB / 4096);
            assertThat(sum(status.numaNodes(), NumaNodeUsage::spilledBytes)).isZero();
            assertThat(sum(status.numaNodes(), NumaNodeUsage::hugeBytes)).isEqualTo(mib * MIB);
        });
    }

    @Test
    void aPoolGrowsAndShrinksWhileItIsReadAndNobodySeesIt() throws Exception {
        try (var serve = serve("{size: 16Mi, maxSize: 64Mi, bufferSize: 4Ki}")) {
            var generation = serve.await(PUBLISHED).group(1);
            try (var readers = new ReadersAlongside(attach(), folder.path().resolve("data"), 8000, 3)) {
                write("{size: 40Mi, maxSize: 64Mi, bufferSize: 4Ki}");
                awaitSize(serve, 40);
                // 8000 blocks are 31.25 MiB: all of them fit now.
                await().atMost(Duration.ofSeconds(60))
                        .until(() ->
                                sum(serve.status(attach()).status().numaNodes(), NumaNodeUsage::buffersUsed) >= 8000);

                write("{size: 8Mi, maxSize: 64Mi, bufferSize: 4Ki}");
                awaitSize(serve, 8);
                assertThat(allocatedBytes(dir().resolve("segment").resolve("buffers")))
                        .isEqualTo(8 * MIB);
                long before = readers.reads();
                await().until(() -> readers.reads() > before + 1000);
                readers.finish();
            }
            assertThat(serve.status(attach()).status().generation()).isEqualTo(generation);
        }
    }

    private static long allocatedBytes(Path file) throws Exception {
        var process = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        var blocks = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return Long.parseLong(blocks.strip()) * 512;
    }

    @Test
    void aSidecarKilledInAnotherSizeIsSucceededInThatSize() throws Exception {
        String generation;
        try (var serve = serve("{size: 16Mi, maxSize: 64Mi, bufferSize: 4Ki}")) {
            generation = serve.await(PUBLISHED).group(1);
            write("{size: 32Mi, maxSize: 64Mi, bufferSize: 4Ki}");
            awaitSize(serve, 32);
            serve.kill();
        }
        try (var serve = serve("{size: 24Mi, maxSize: 64Mi, bufferSize: 4Ki}")) {
            assertThat(serve.await(PUBLISHED).group(1)).isEqualTo(generation);
            awaitSize(serve, 24);
        }
    }

    @Test
    void aPinnedPageKeepsItsMemoryAndItsHolderIsNamed() throws Exception {
        try (var serve = serve("{size: 16Mi, maxSize: 64Mi, bufferSize: 4Ki, partitionsPerNode: 1}")) {
            serve.await(PUBLISHED);
            try (var readers = new ReadersAlongside(attach(), folder.path().resolve("data"), 4096, 0);
                    var session = readers.client().openSession()) {
                for (long block = 0; block < 4096; block++) {
                    try (var pinned = session.pin(readers.space(), block)) {
                        assertThat(pinned.bytes().byteSize()).isEqualTo(4096);
                    }
                }
                var handles = new ArrayList<AutoCloseable>();
                for (long block = 0; block < 4096; block += 400) {
                    handles.add(session.pin(readers.space(), block));
                }
                write("{size: 4Mi, maxSize: 64Mi, bufferSize: 4Ki, partitionsPerNode: 1}");

                await().atMost(Duration.ofSeconds(60))
                        .until(() -> serve.output()
                                .contains("waits for slot 0 of client "
                                        + readers.client().clientNumber()));
                for (var handle : handles) {
                    handle.close();
                }
                awaitSize(serve, 4);
            }
        }
    }

    @Test
    void whatASegmentInUseCannotFollowIsSaidAndNothingHappens() throws Exception {
        try (var serve = serve("{size: 16Mi, maxSize: 64Mi, bufferSize: 4Ki}")) {
            serve.await(PUBLISHED);

            write("{size: 16Mi, maxSize: 64Mi, bufferSize: 16Ki}");
            serve.await(
                    "the pool's new spec is not followed  reason=.*spec.bufferSize is 4Ki in this segment and cannot"
                            + " become 16Ki while it is used; restart the pod");
            write("{size: 128Mi, maxSize: 64Mi, bufferSize: 4Ki}");
            serve.await("the pool's file is not followed  reason=.*spec.maxSize");
            write("{size: 2Mi, maxSize: 64Mi, bufferSize: 4Ki}");
            serve.await(
                    "the pool's new spec is not followed  reason=.*spec.size: 2Mi.*4 partitions need a page of 2Mi each");

            awaitSize(serve, 16);
            assertThat(serve.status(attach()).size())
                    .as("the size that the segment follows, not the one it was refused")
                    .isEqualTo(16 * MIB);
        }
    }
}
