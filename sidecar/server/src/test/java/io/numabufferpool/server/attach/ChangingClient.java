package io.numabufferpool.server.attach;

import io.numabufferpool.client.PoolClient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * A client process that changes a file through the pool. Arguments: attach folder, file, and {@code half} to stop in the middle of a
 * change, {@code count N} to count up every block N times, {@code unlogged} to change block 1 up to log position 100 and block 2 up to
 * 200 with a log that reaches 150, and then wait.
 */
final class ChangingClient {
    private ChangingClient() {}

    public static void main(String[] arguments) throws Exception {
        var file = Path.of(arguments[1]);
        try (var client = PoolClient.attach(Path.of(arguments[0]))) {
            switch (arguments[2]) {
                case "half" -> half(client, file);
                case "count" -> count(client, file, Integer.parseInt(arguments[3]));
                case "unlogged" -> unlogged(client, file);
                default -> throw new IllegalArgumentException(arguments[2]);
            }
        }
    }

    private static void half(PoolClient client, Path file) throws Exception {
        try (var space = client.openWriteThrough(file);
                var session = client.openSession();
                var block = session.pinForWriting(space, 1)) {
            block.bytes().asSlice(0, 100).fill((byte) 0x55);
            stopHere();
        }
    }

    private static void count(PoolClient client, Path file, int times) throws Exception {
        try (var space = client.openWriteThrough(file);
                var session = client.openSession()) {
            for (int i = 0; i < times; i++) {
                for (long block = 0; block < space.blockCount(); block++) {
                    try (var writable = session.pinForWriting(space, block)) {
                        countUp(writable.bytes());
                        writable.markDirty();
                    }
                }
            }
        }
        System.out.println("counted");
    }

    /** All words of the block, so that half a change shows. */
    static void countUp(MemorySegment block) {
        long next = block.get(ValueLayout.JAVA_LONG, 0) + 1;
        for (long offset = 0; offset < block.byteSize(); offset += Long.BYTES) {
            block.set(ValueLayout.JAVA_LONG, offset, next);
        }
    }

    private static void unlogged(PoolClient client, Path file) throws Exception {
        var never = new CountDownLatch(1);
        // A log that hangs keeps both changes in the pool.
        try (var space = client.openWriteBack(file, position -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return position;
                });
                var session = client.openSession()) {
            change(session.pinForWriting(space, 1), 100);
            change(session.pinForWriting(space, 2), 200);
            space.raiseLoggedPosition(150);
            stopHere();
        }
    }

    private static void change(io.numabufferpool.client.WritableBuffer block, long position) throws Exception {
        try (block) {
            block.bytes().fill((byte) 0x66);
            block.markDirty(position);
        }
    }

    private static void stopHere() throws InterruptedException {
        System.out.println("stopped here");
        Thread.sleep(Long.MAX_VALUE);
    }
}
