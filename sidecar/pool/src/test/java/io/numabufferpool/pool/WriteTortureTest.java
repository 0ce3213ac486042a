package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.TmpfsFolder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Several processes change the pages of one space and are killed at random moments, in the middle of changes too. Prints its seed.
 * More rounds: {@code -Dnumapool.torture.rounds=N}.
 */
class WriteTortureTest {
    private static final int PROCESSES = 3;
    private static final int ROUNDS = Integer.getInteger("numapool.torture.rounds", 4);
    private static final long BUFFERS = 48;
    private static final int BLOCKS = 64;

    private final long seed = Long.getLong("numapool.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final TortureProcesses processes = new TortureProcesses(WriteTortureClient.class, seed);

    @Test
    void whoIsKilledInAChangeLeavesNoHalfOfItAndNothingLocked() throws Exception {
        System.out.println("WriteTortureTest seed " + seed);
        try (var folder = new TmpfsFolder();
                var files = SegmentFiles.create(folder.path(), layout());
                var storage = WriteTortureClient.open(folder.path())) {
            var sidecar = files.attach(1_000_000);
            var file = new FakeSpaceFile(new FakeSpaceFile.Content());
            var space = sidecar.openWritableSpace(file, Durability.WRITE_THROUGH);
            var clients = new ArrayList<TortureProcesses.Client>();
            for (int i = 0; i < PROCESSES; i++) {
                clients.add(start(folder));
            }
            for (int round = 0; round < ROUNDS; round++) {
                Thread.sleep(random.nextInt(50, 250));
                var killed = clients.remove(random.nextInt(clients.size()));
                processes.kill(killed);
                var reaped = sidecar.reaper().reap(Set.of(killed.number()));
                System.out.println("client " + killed.number() + ": " + reaped);
                clients.add(start(folder));
            }
            for (var client : clients) {
                processes.finish(client);
            }
            checkEverythingIsWhole(sidecar, space, storage);
        }
    }

    private TortureProcesses.Client start(TmpfsFolder folder) throws IOException {
        return processes.start(folder.path(), random.nextLong(), BLOCKS);
    }

    private static SegmentLayout layout() {
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, BUFFERS, BUFFERS);
        return SegmentLayout.of(
                List.of(shape), TestSegment.BUFFER_BYTES, BUFFERS * TestSegment.BUFFER_BYTES, 64, 8, 4096);
    }

    /** What the last ones left dirty is theirs to write, if they live; here they have ended, so the reaper says they died. */
    private static void checkEverythingIsWhole(BufferPool pool, WritableSpace space, FileChannel storage)
            throws IOException {
        PoolChecks.checkNothingIsHeld(pool);
        long changes = 0;
        try (var session = pool.openSession();
                var arena = Arena.ofConfined()) {
            long epoch = space.beginRecovery(1);
            if (epoch >= 0) {
                session.reloadUnlogged(space.number(), -1, WriteTortureClient.loader(storage));
                space.endRecovery(epoch, true);
            }
            session.flushSpace(space.number(), WriteTortureClient.sink(storage));
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            for (long block = 0; block < BLOCKS; block++) {
                session.read(space.number(), block, 0, copy, WriteTortureClient.loader(storage));
                long inPool = WriteTortureClient.check(copy, block);
                WriteTortureClient.loader(storage).load(copy, block);
                assertThat(WriteTortureClient.check(copy, block))
                        .as("block %d of the storage", block)
                        .isEqualTo(inPool);
                changes += inPool;
            }
            // Nothing is dirty any more, so every buffer can be had.
            var handles = new ArrayList<Long>();
            for (long block = 0; block < BUFFERS; block++) {
                handles.add(session.pin(5, block, BlockContent.of(5)));
            }
            handles.forEach(session::unpin);
        }
        assertThat(changes).isPositive();
        PoolChecks.checkNothingIsHeld(pool);
    }
}
