package io.numabufferpool.server.attach;

import io.numabufferpool.client.PinnedBuffer;
import io.numabufferpool.client.PoolClient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/** A client in a process of its own. Arguments: attach folder, file, what to do. */
final class ClientProcess {
    private ClientProcess() {}

    public static void main(String[] arguments) throws Exception {
        try (var client = PoolClient.attach(Path.of(arguments[0]))) {
            var file = Path.of(arguments[1]);
            switch (arguments[2]) {
                case "once" -> readOnce(client, file);
                case "hold" -> hold(client, file);
                case "loop" -> loop(client, file);
                case "cpus" -> printCpus(client);
                default -> throw new IllegalArgumentException(arguments[2]);
            }
        }
    }

    /** What the kernel says of every thread, one that is started now included: {@code cpus CPUS threads CPUS...}. */
    private static void printCpus(PoolClient client) throws Exception {
        var late = new Thread(LockSupport::park, "late");
        late.setDaemon(true);
        late.start();
        var lists = new TreeSet<String>();
        try (var threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (var thread : threads) {
                Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith("Cpus_allowed_list:"))
                        .forEach(line -> lists.add(line.replaceAll(".*\\s", "")));
            }
        }
        System.out.println("cpus " + client.boundCpus() + " threads " + String.join(" ", lists));
    }

    /** Every block once: {@code read BLOCKS wrong WRONG misses MISSES}. */
    private static void readOnce(PoolClient client, Path file) throws Exception {
        try (var space = client.openFile(file);
                var session = client.openSession()) {
            int wrong = 0;
            int misses = 0;
            for (long block = 0; block < space.blockCount(); block++) {
                try (var pinned = session.pin(space, block)) {
                    wrong += TestFile.holds(pinned.bytes(), block, 1) ? 0 : 1;
                    misses += pinned.loaded() ? 1 : 0;
                }
            }
            System.out.println("read " + space.blockCount() + " wrong " + wrong + " misses " + misses);
        }
    }

    /** Pins blocks and waits for a line; then says whether they were still there. */
    private static void hold(PoolClient client, Path file) throws Exception {
        try (var space = client.openFile(file);
                var session = client.openSession()) {
            var pinned = new ArrayList<PinnedBuffer>();
            for (long block = 0; block < 5; block++) {
                pinned.add(session.pin(space, block));
            }
            System.out.println("holding " + client.clientNumber());
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            int wrong = 0;
            for (int block = 0; block < pinned.size(); block++) {
                wrong += TestFile.holds(pinned.get(block).bytes(), block, 1) ? 0 : 1;
                pinned.get(block).close();
            }
            System.out.println("released wrong " + wrong);
        }
    }

    /** Reads at random until a line comes: {@code read BLOCKS wrong WRONG}. */
    private static void loop(PoolClient client, Path file) throws Exception {
        var random = new SplittableRandom(client.clientNumber());
        try (var space = client.openFile(file);
                var session = client.openSession()) {
            System.out.println("looping " + client.clientNumber());
            long read = 0;
            long wrong = 0;
            while (System.in.available() == 0) {
                long block = random.nextLong(space.blockCount());
                try (var pinned = session.pin(space, block)) {
                    wrong += TestFile.holds(pinned.bytes(), block, 1) ? 0 : 1;
                    read++;
                }
            }
            System.out.println("read " + read + " wrong " + wrong);
        }
    }
}
