package io.numabufferpool.pool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.SplittableRandom;

/**
 * A client process of {@link WriteTortureTest}: threads that change pages, read them in all three ways and recover what others left,
 * until standard input ends or the process is killed. A block is full of one number that every change counts up; anything else is
 * half of a change. Prints {@code working} once it works; exit status 1 after a wrong page or an error.
 */
final class WriteTortureClient {
    static final int THREADS = 2;
    private static final long WAIT_NANOS = 60_000_000_000L;

    private static volatile boolean stop;

    private final BufferPool pool;
    private final WritableSpace space;
    private final FileChannel storage;
    private final int blocks;

    private WriteTortureClient(BufferPool pool, WritableSpace space, FileChannel storage, int blocks) {
        this.pool = pool;
        this.space = space;
        this.storage = storage;
        this.blocks = blocks;
    }

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[0]);
        int clientNumber = Integer.parseInt(args[1]);
        long seed = Long.parseLong(args[2]);
        int blocks = Integer.parseInt(args[3]);
        try (var files = SegmentFiles.open(folder);
                var storage = open(folder)) {
            var pool = files.attach(clientNumber);
            var client = new WriteTortureClient(
                    pool, pool.openWritableSpace(new OpenedByTheTest(), Durability.WRITE_THROUGH), storage, blocks);
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                var random = new SplittableRandom(seed + i);
                threads.add(Thread.ofPlatform().start(() -> client.workOrExit(random)));
            }
            System.out.println("working");
            while (System.in.read() >= 0) {
                // Only the end of the input means something.
            }
            stop = true;
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    static FileChannel open(Path folder) throws IOException {
        return FileChannel.open(
                folder.resolve("storage"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE);
    }

    /** The test opened the space and keeps it open, so everybody else finds the lock shared. */
    static final class OpenedByTheTest implements SpaceFile {
        @Override
        public SpaceIdentity identity() {
            return new FakeSpaceFile.Content().identity;
        }

        @Override
        public boolean tryLockAlone() {
            return false;
        }

        @Override
        public boolean tryLockShared() {
            return true;
        }

        @Override
        public void unlock() {}
    }

    private void workOrExit(SplittableRandom random) {
        try (var arena = Arena.ofConfined()) {
            var copy = arena.allocate(TestSegment.BUFFER_BYTES, 8);
            while (!stop) {
                try (var session = pool.openSession()) {
                    for (int i = 0; i < 500 && !stop; i++) {
                        workOrRecover(session, random, copy);
                    }
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private void workOrRecover(PoolSession session, SplittableRandom random, MemorySegment copy) throws IOException {
        try {
            work(session, random.nextInt(blocks), random.nextInt(4), copy);
        } catch (PoolException.PeerDied | PoolException.Torn e) {
            recover(session);
        }
    }

    private void recover(PoolSession session) throws IOException {
        long epoch = space.beginRecovery(WAIT_NANOS);
        if (epoch >= 0) {
            boolean recovered = false;
            try {
                session.reloadUnlogged(space.number(), -1, loader(storage));
                recovered = true;
            } finally {
                space.endRecovery(epoch, recovered);
            }
        }
    }

    private void work(PoolSession session, long block, int way, MemorySegment copy) throws IOException {
        if (way == 0) {
            session.read(space.number(), block, 0, copy, loader(storage));
            space.requireWhole();
            check(copy, block);
            return;
        }
        long handle = session.pin(space.number(), block, loader(storage));
        try {
            space.requireWhole();
            if (way == 1) {
                session.lockShared(handle);
                try {
                    check(session.memory(handle), block);
                } finally {
                    session.unlockShared(handle);
                }
            } else {
                session.lockExclusive(handle);
                var page = session.writableMemory(handle);
                fill(page, check(page, block) + 1);
                session.unlockExclusiveDirty(handle, 0);
                if (way == 2) {
                    session.flush(handle, sink(storage));
                }
            }
        } finally {
            session.unpin(handle);
        }
    }

    static BlockLoader loader(FileChannel storage) {
        return (target, block) -> {
            var buffer = target.asByteBuffer();
            int read = storage.read(buffer, block * target.byteSize());
            target.asSlice(Math.max(0, read)).fill((byte) 0);
        };
    }

    static BlockSink sink(FileChannel storage) {
        return (source, block, logPosition) -> {
            check(source, block);
            storage.write(source.asByteBuffer(), block * source.byteSize());
        };
    }

    private static void fill(MemorySegment page, long content) {
        for (long offset = 0; offset < page.byteSize(); offset += Long.BYTES) {
            page.set(ValueLayout.JAVA_LONG, offset, content);
        }
    }

    /** Returns the number the page is full of. */
    static long check(MemorySegment page, long block) {
        long first = page.get(ValueLayout.JAVA_LONG, 0);
        for (long offset = 0; offset < page.byteSize(); offset += Long.BYTES) {
            long word = page.get(ValueLayout.JAVA_LONG, offset);
            if (word != first) {
                throw new UncheckedIOException(new IOException(
                        "block " + block + " is half of a change: " + first + " at 0, " + word + " at " + offset));
            }
        }
        return first;
    }
}
