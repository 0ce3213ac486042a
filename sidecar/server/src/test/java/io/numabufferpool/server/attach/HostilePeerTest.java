package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachAnswer.Status;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest.Kind;
import io.numabufferpool.client.attach.ClientClaim;
import io.numabufferpool.client.attach.ClientsLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a peer does, the next one is served. */
class HostilePeerTest {
    private static final int MUTATIONS = 100_000;

    /** So that a test of a time limit ends soon. */
    private static final int SHORT_TIMEOUT_MILLIS = 400;

    private static final Duration SOON = Duration.ofSeconds(5);

    @TempDir
    private Path temp;

    private AttachFolder served(int messageTimeoutMillis) throws IOException {
        var folder = new AttachFolder(temp, messageTimeoutMillis);
        folder.publish(AttachAccess.READ_WRITE);
        return folder;
    }

    private static void assertServes(AttachFolder folder) throws Exception {
        long begin = System.nanoTime();
        try (var connection = folder.connect()) {
            var answered = AttachFolder.ask(connection, AttachFolder.request(Kind.STATUS, 1));
            assertThat(answered.answer().status()).isEqualTo(Status.OK);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    }

    private static byte[] goodRequest() {
        return AttachFolder.request(Kind.ATTACH, 1).encode();
    }

    @Test
    void aHundredThousandMutatedMessagesStopNothing() throws Exception {
        long seed = System.nanoTime();
        System.out.println("HostilePeerTest seed " + seed);
        try (var folder = served(AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
                var threads = Executors.newFixedThreadPool(2)) {
            var first = threads.submit(() -> sendMutations(folder, new Random(seed), MUTATIONS / 2));
            var second = threads.submit(() -> sendMutations(folder, new Random(~seed), MUTATIONS / 2));

            assertThat(first.get() + second.get()).as("answers, seed %d", seed).isPositive();
            assertServes(folder);
            await().atMost(SOON).untilAsserted(() -> assertThat(attachThreads()).isLessThan(5));
        }
    }

    /** How many were answered at all. */
    private static int sendMutations(AttachFolder folder, Random random, int count) throws IOException {
        int answered = 0;
        for (int i = 0; i < count; i++) {
            byte[] message = goodRequest();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                message[random.nextInt(random.nextBoolean() ? message.length : 20)] = (byte) random.nextInt();
            }
            int bytes = random.nextInt(8) == 0 ? random.nextInt(message.length) : message.length;
            try (var peer = folder.rawPeer()) {
                send(peer, Arrays.copyOf(message, bytes));
                peer.shutdownOutput();
                answered += AttachFolder.drain(peer).length > 0 ? 1 : 0;
            }
        }
        return answered;
    }

    /** A server that closes while we still send is within its rights. */
    private static void send(SocketChannel peer, byte[] bytes) throws IOException {
        try {
            peer.write(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe");
        }
    }

    private static long attachThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("attach-conversation"))
                .count();
    }

    @Test
    void halfAMessageIsAnsweredWithASentenceAfterTheTimeLimitAtMost() throws Exception {
        try (var folder = served(SHORT_TIMEOUT_MILLIS);
                var silent = folder.rawPeer();
                var half = folder.rawPeer();
                var ended = folder.rawPeer()) {
            send(half, Arrays.copyOf(goodRequest(), 40));
            send(ended, Arrays.copyOf(goodRequest(), 40));
            ended.shutdownOutput();

            assertServes(folder);
            assertThat(new String(AttachFolder.drain(ended), StandardCharsets.UTF_8))
                    .contains("The stream ended after 40 of the 64 bytes");
            assertThat(AttachFolder.drain(half)).isEmpty();
            assertThat(AttachFolder.drain(silent)).isEmpty();
        }
    }

    @Test
    void aPeerThatSendsByteByByteIsCutOffAtTheTimeLimit() throws Exception {
        try (var folder = served(SHORT_TIMEOUT_MILLIS);
                var slow = folder.rawPeer()) {
            byte[] message = goodRequest();
            int sent = 0;
            long begin = System.nanoTime();
            try {
                for (; sent < message.length; sent++) {
                    slow.write(ByteBuffer.wrap(message, sent, 1));
                    Thread.sleep(50);
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("Broken pipe");
            }

            assertThat(sent).isBetween(2, AttachProtocol.HEADER_BYTES);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
            assertServes(folder);
        }
    }

    @Test
    void aPeerThatAttachesAndNeverClaimsIsCutOffAndNobodyIsListed() throws Exception {
        try (var folder = served(SHORT_TIMEOUT_MILLIS);
                var peer = folder.rawPeer()) {
            send(peer, goodRequest());

            assertThat(AttachFolder.drain(peer)).hasSize(AttachProtocol.HEADER_BYTES);
            assertThat(folder.server.clients()).isEmpty();
            assertServes(folder);
        }
    }

    @Test
    void aPeerThatReadsNothingOfItsAnswerHoldsUpNobody() throws Exception {
        try (var folder = served(SHORT_TIMEOUT_MILLIS)) {
            var peers = new ArrayList<SocketChannel>();
            for (int i = 0; i < 20; i++) {
                var peer = folder.rawPeer();
                peers.add(peer);
                send(peer, AttachFolder.request(Kind.STATUS, 1).encode());
            }

            assertServes(folder);
            for (var peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void aFloodOfSilentConnectionsDisplacesOnlyItself() throws Exception {
        try (var folder = served(AttachProtocol.MESSAGE_TIMEOUT_MILLIS)) {
            var flood = new ArrayList<SocketChannel>();
            for (int i = 0; i < AttachServer.HANDSHAKE_MAX * 4; i++) {
                flood.add(folder.rawPeer());
            }

            assertServes(folder);
            assertThat(AttachFolder.drain(flood.getFirst())).isEmpty();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(attachThreads()).isLessThanOrEqualTo(AttachServer.HANDSHAKE_MAX));
            for (var peer : flood) {
                peer.close();
            }
        }
    }

    @Test
    void bytesAfterTheHandshakeEndTheConnectionOnly() throws Exception {
        try (var folder = served(AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
                var lock = ClientsLock.open(folder.linux, folder.folder);
                var peer = folder.rawPeer()) {
            assertThat(lock.tryTake(9)).isTrue();
            send(peer, goodRequest());
            send(peer, new ClientClaim(9).encode());
            send(peer, "more".getBytes(StandardCharsets.UTF_8));

            assertThat(AttachFolder.drain(peer)).hasSize(2 * AttachProtocol.HEADER_BYTES);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(folder.events).containsExactly("attached 9", "ended 9"));
            assertServes(folder);
        }
    }
}
