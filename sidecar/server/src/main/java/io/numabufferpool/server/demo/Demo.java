package io.numabufferpool.server.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.report.StatusDocument;
import io.numabufferpool.server.report.StatusQuestion;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.function.ToLongFunction;

/**
 * Five steps, each of which must succeed: write a file three times as large as the pool, serve the pool from a NumaBufferPool file, read
 * every block from another process and compare it, show the table of the running pool, stop. Leaves nothing in shared memory, however it
 * ends.
 */
public final class Demo {
    private static final String POOL_RESOURCE = "pool.yaml";
    private static final long POOL_BYTES = 32L << 20;

    /** Three pools, and a last block that is not a whole one. */
    private static final long FILE_BYTES = 3 * POOL_BYTES + 1234;

    private static final int WRITE_BYTES = 1 << 20;

    /** Of placing 32 MiB: a second or two; on a machine that does ten other things, half a minute was seen. */
    private static final Duration PLACED_MAX = Duration.ofMinutes(3);

    private static final Duration LOOK_PERIOD = Duration.ofMillis(100);

    /** One pass over 12,000 blocks and some seconds of random reads: ten seconds on a quiet machine. */
    private static final Duration CHECKED_MAX = Duration.ofMinutes(5);

    private static final int RANDOM_SECONDS = 3;

    /** Of a question over a local socket, and of a stop: both with the start or end of a JVM. */
    private static final Duration ANSWERED_MAX = Duration.ofMinutes(1);

    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Linux linux = new JnaLinux();
    private final Path work;
    private final SharedFolder shared;
    private final PrintStream out;

    /**
     * @param work where the file and the logs go; the file is used again if it is there
     * @param out where the story goes
     */
    public Demo(Path work, PrintStream out) {
        this.work = work.toAbsolutePath();
        this.shared = new SharedFolder("numapool-demo-" + linux.processId());
        this.out = out;
    }

    /**
     * Runs the steps.
     *
     * @throws DemoFailed naming the step that failed
     */
    public void run() throws IOException, InterruptedException {
        Files.createDirectories(work);
        var file = writeFile();
        var pool = writePool();
        try (shared;
                var serve = serve(pool)) {
            shared.alsoEnds(serve);
            awaitServing(serve);
            check(file);
            showStatus();
            verify(status().orElseThrow(() -> serve.failed("gave no status")));
            stop(serve);
        }
        out.println("Done: every block was the file's, every page of the pool is where it was decided.");
    }

    private Path writeFile() throws IOException {
        var file = work.resolve("orders.db");
        boolean there = Files.exists(file) && Files.size(file) == FILE_BYTES;
        out.printf(
                Locale.ROOT,
                "1. A file of %s, three times as large as the pool: %s%s%n",
                ByteCount.render(FILE_BYTES / WRITE_BYTES * WRITE_BYTES),
                file,
                there ? " (there already)" : "");
        if (there) {
            return file;
        }
        var random = new Random(FILE_BYTES);
        var bytes = new byte[WRITE_BYTES];
        try (var channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (long left = FILE_BYTES; left > 0; ) {
                random.nextBytes(bytes);
                left -= writeFully(channel, ByteBuffer.wrap(bytes, 0, (int) Math.min(WRITE_BYTES, left)));
            }
        }
        return file;
    }

    private static long writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        long count = bytes.remaining();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return count;
    }

    private Path writePool() throws IOException {
        var file = work.resolve(POOL_RESOURCE);
        try (var resource = Demo.class.getResourceAsStream(POOL_RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException("resource " + POOL_RESOURCE + " is missing");
            }
            Files.write(file, resource.readAllBytes());
        }
        return file;
    }

    private NumapoolProcess serve(Path pool) throws IOException {
        out.println("2. numapool serve -f " + pool);
        return start(
                "serve.log",
                "serve",
                "-f",
                pool.toString(),
                "--dir",
                shared.path().toString(),
                "--http",
                "0");
    }

    private NumapoolProcess start(String log, String... words) throws IOException {
        return NumapoolProcess.start(work.resolve(log), List.of(words));
    }

    private void awaitServing(NumapoolProcess serve) throws InterruptedException {
        long beganNanos = System.nanoTime();
        while (status().filter(Demo::isServing).isEmpty()) {
            if (!serve.isAlive()) {
                throw serve.failed("ended before the pool was placed");
            }
            if (System.nanoTime() - beganNanos > PLACED_MAX.toNanos()) {
                throw serve.failed("had not placed the pool after " + PLACED_MAX.toSeconds() + " s");
            }
            Thread.sleep(LOOK_PERIOD);
        }
        out.printf(Locale.ROOT, "   serving after %.1f s%n", (System.nanoTime() - beganNanos) / 1e9);
    }

    private static boolean isServing(StatusDocument document) {
        return document.status().phase() == Phase.Serving;
    }

    /** Empty while nobody answers. */
    private Optional<StatusDocument> status() {
        try {
            var json = StatusQuestion.ask(linux, shared.path().resolve("attach"));
            return Optional.of(JSON.readValue(json, StatusDocument.class));
        } catch (LinuxException | StatusQuestion.NoStatus notYet) {
            return Optional.empty();
        } catch (JsonProcessingException e) {
            throw new DemoFailed("The sidecar's status is no document: " + e.getOriginalMessage());
        }
    }

    private void check(Path file) throws IOException, InterruptedException {
        out.println("3. numapool check " + file + ", in another process");
        try (var check = start(
                "check.log",
                "check",
                file.toString(),
                "--dir",
                shared.path().toString(),
                "--seconds",
                Integer.toString(RANDOM_SECONDS))) {
            check.requireSuccess(CHECKED_MAX);
            check.output().forEach(line -> out.println("   " + line));
        }
    }

    private void showStatus() throws IOException, InterruptedException {
        out.println("4. numapool status");
        try (var status = start("status.log", "status", "--dir", shared.path().toString())) {
            status.requireSuccess(ANSWERED_MAX);
            status.output().forEach(line -> out.println("   " + line));
        }
    }

    private static void verify(StatusDocument document) {
        var nodes = document.status().numaNodes();
        require(isServing(document), "the phase is " + document.status().phase());
        require(sum(nodes, NumaNodeUsage::placedBytes) == POOL_BYTES, "not all bytes are placed");
        require(sum(nodes, NumaNodeUsage::spilledBytes) == 0, "bytes are on other NUMA nodes than decided");
        require(sum(nodes, NumaNodeUsage::hits) > 0, "there was no hit");
        require(sum(nodes, NumaNodeUsage::misses) >= FILE_BYTES / 8192, "there were fewer misses than blocks");
        require(sum(nodes, NumaNodeUsage::pinned) == 0, "buffers are still pinned");
        require(document.slotsLeased() == 0, "slots are still leased");
    }

    private static long sum(List<NumaNodeUsage> nodes, ToLongFunction<NumaNodeUsage> column) {
        return nodes.stream().mapToLong(column).sum();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new DemoFailed("The status is not as it must be: " + otherwise + ".");
        }
    }

    private void stop(NumapoolProcess serve) throws InterruptedException, IOException {
        out.println("5. SIGTERM to serve");
        serve.stop();
        serve.requireSuccess(ANSWERED_MAX);
        if (Files.exists(shared.path().resolve("segment/buffers"))) {
            throw serve.failed("left the segment behind although nobody was attached");
        }
    }
}
