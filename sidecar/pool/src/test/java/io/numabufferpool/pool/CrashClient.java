package io.numabufferpool.pool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * A client process of {@link CrashTableTest}: {@code work FOLDER NUMBER} goes once through every protocol, {@code reap FOLDER NUMBER
 * DEAD} reaps a dead client. It stops at the {@link CrashPoint} that its system property names.
 */
final class CrashClient {
    static final int SPACE = 7;
    static final int BLOCKS = 40;

    static final int CHANGED_BLOCKS = 3;

    /** A changed block has the content of the block so many further on. */
    static final long CHANGED = 1000;

    private static final int BLOCK_THAT_FAILS = 1000;

    private CrashClient() {}

    public static void main(String[] args) throws IOException {
        try (var files = SegmentFiles.open(Path.of(args[1]))) {
            var pool = files.attach(Integer.parseInt(args[2]));
            if (args[0].equals("reap")) {
                pool.reaper().reap(Set.of(Integer.parseInt(args[3])));
                return;
            }
            work(pool);
        }
    }

    private static void work(BufferPool pool) throws IOException {
        try (var session = pool.openSession()) {
            pool.registerSpace(new SpaceIdentity(1, 2, 3, 4, 5, 6));
            // More blocks than buffers: free buffers first, then victims.
            for (long block = 0; block < BLOCKS; block++) {
                session.unpin(session.pin(SPACE, block, BlockContent.of(SPACE)));
            }
            long resident = session.tryPin(SPACE, BLOCKS - 1);
            session.unpin(resident);
            try {
                session.pin(SPACE, BLOCK_THAT_FAILS, (target, block) -> {
                    target.fill((byte) -1);
                    throw new IOException("the storage failed");
                });
            } catch (IOException e) {
                System.err.println("as intended: " + e.getMessage());
            }
            change(pool, session);
        }
    }

    /** Every step of a change: read under a lock, change, write to the storage. */
    private static void change(BufferPool pool, PoolSession session) throws IOException {
        var file = new FakeSpaceFile(new FakeSpaceFile.Content());
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        for (long block = 0; block < CHANGED_BLOCKS; block++) {
            long handle = session.pin(space.number(), block, BlockContent.of(space.number()));
            session.lockShared(handle);
            session.unlockShared(handle);
            session.lockExclusive(handle);
            BlockContent.fill(session.writableMemory(handle), space.number(), block + CHANGED);
            session.unlockExclusiveDirty(handle, 0);
            session.flush(handle, (source, number, logPosition) -> {
                // Who reads it again finds the old content: so it shows which pages were written and which were not.
            });
            session.unpin(handle);
        }
        space.close(file, 1);
    }
}
