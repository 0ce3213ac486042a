package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Several processes on one segment, killed and stopped at random moments while all of them check every page they get.
 * Prints its seed. More rounds: {@code -Dnumapool.torture.rounds=N}.
 */
class PoolTortureTest {
    private static final int PROCESSES = 3;
    private static final int ROUNDS = Integer.getInteger("numapool.torture.rounds", 4);

    /** All pins of all threads and a reserve, so that nobody waits for a victim for long. */
    private static final long BUFFERS = 64;

    private static final int BLOCKS = 160;

    private final long seed = Long.getLong("numapool.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final TortureProcesses processes = new TortureProcesses(TortureClient.class, seed);

    @Test
    void clientsThatAreKilledAnywhereCostTheOthersNothing() throws Exception {
        System.out.println("PoolTortureTest seed " + seed);
        try (var folder = new TmpfsFolder();
                var files = SegmentFiles.create(folder.path(), layout())) {
            var clients = new ArrayList<TortureProcesses.Client>();
            for (int i = 0; i < PROCESSES; i++) {
                clients.add(start(folder));
            }
            var sidecar = files.attach(1_000_000);
            for (int round = 0; round < ROUNDS; round++) {
                Thread.sleep(random.nextInt(50, 250));
                killAndReap(clients.remove(random.nextInt(clients.size())), sidecar);
                clients.add(start(folder));
            }
            long before = loads(sidecar);
            Thread.sleep(200);
            for (var client : clients) {
                processes.finish(client);
            }

            assertThat(loads(sidecar)).as("clients still load pages").isGreaterThan(before);
            checkEverythingIsUsable(sidecar);
        }
    }

    @Test
    void aStoppedClientIsAliveAndKeepsNobodyFromWorking() throws Exception {
        System.out.println("PoolTortureTest seed " + seed);
        try (var folder = new TmpfsFolder();
                var files = SegmentFiles.create(folder.path(), layout())) {
            var sidecar = files.attach(1_000_000);
            var clients = List.of(start(folder), start(folder));
            for (int round = 0; round < ROUNDS; round++) {
                signal(clients.getFirst(), "STOP");
                Thread.sleep(random.nextInt(20, 100));
                signal(clients.getFirst(), "CONT");
                Thread.sleep(random.nextInt(20, 100));
            }
            for (var client : clients) {
                processes.finish(client);
            }

            checkEverythingIsUsable(sidecar);
        }
    }

    private static SegmentLayout layout() {
        var shapes = List.of(
                new PartitionShape(0, 0, BUFFERS / 2, BUFFERS / 2),
                new PartitionShape(
                        1, BUFFERS / 2 * TestSegment.BUFFER_BYTES, BUFFERS - BUFFERS / 2, BUFFERS - BUFFERS / 2));
        return SegmentLayout.of(shapes, TestSegment.BUFFER_BYTES, BUFFERS * TestSegment.BUFFER_BYTES, 64, 8, 4096);
    }

    private TortureProcesses.Client start(TmpfsFolder folder) throws IOException {
        return processes.start(folder.path(), random.nextLong(), BLOCKS);
    }

    private void killAndReap(TortureProcesses.Client client, BufferPool sidecar) throws InterruptedException {
        processes.kill(client);

        System.out.println("client " + client.number() + ": " + sidecar.reaper().reap(Set.of(client.number())));

        assertThat(sidecar.slotsOf(client.number())).isZero();
    }

    private static void signal(TortureProcesses.Client client, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(client.process().pid()))
                .start()
                .waitFor();
    }

    private static long loads(BufferPool pool) {
        return pool.readStatistics().numaNodes().stream()
                .mapToLong(node -> node.counters().misses())
                .sum();
    }

    private static void checkEverythingIsUsable(BufferPool pool) throws IOException {
        PoolChecks.checkNothingIsHeld(pool);
        try (var session = pool.openSession()) {
            var handles = new ArrayList<Long>();
            for (long block = 0; block < pool.bufferCount(); block++) {
                handles.add(session.pin(TortureClient.SPACE + 1, block, BlockContent.of(TortureClient.SPACE + 1)));
            }
            assertThat(handles).doesNotHaveDuplicates();
            handles.forEach(session::unpin);
        }
    }
}
