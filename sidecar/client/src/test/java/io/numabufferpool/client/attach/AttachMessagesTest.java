package io.numabufferpool.client.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AttachMessagesTest {
    private static final int MUTATIONS = 100_000;

    private static AttachRequest request() {
        return new AttachRequest(
                AttachRequest.Kind.ATTACH,
                1,
                3,
                new TreeMap<>(Map.of("cpus", "0-3,7", "mems", "0", "name", "java é 17")));
    }

    private static AttachRequest decodeRequest(byte[] message) throws MalformedMessage {
        var header = AttachRequest.decodeHeader(head(message));
        return AttachRequest.decode(header, body(message));
    }

    private static AttachAnswer decodeAnswer(byte[] message) throws MalformedMessage {
        var header = AttachAnswer.decodeHeader(head(message));
        return AttachAnswer.decode(header, body(message));
    }

    private static byte[] head(byte[] message) {
        return Arrays.copyOf(message, Math.min(message.length, AttachProtocol.HEADER_BYTES));
    }

    private static byte[] body(byte[] message) {
        return Arrays.copyOfRange(message, Math.min(message.length, AttachProtocol.HEADER_BYTES), message.length);
    }

    @Test
    void aRequestComesBackAsItWas() throws MalformedMessage {
        assertThat(decodeRequest(request().encode())).isEqualTo(request());
    }

    @Test
    void anAnswerComesBackAsItWas() throws MalformedMessage {
        for (var status : AttachAnswer.Status.values()) {
            for (var access : AttachAccess.values()) {
                var answer = new AttachAnswer(status, access, -2L, 1L << 40, Long.MAX_VALUE, "größer");

                assertThat(decodeAnswer(answer.encode())).isEqualTo(answer);
            }
        }
    }

    @Test
    void aClaimComesBackAsItWas() throws MalformedMessage {
        assertThat(ClientClaim.decode(new ClientClaim(65_535).encode())).isEqualTo(new ClientClaim(65_535));
    }

    /** The bytes are the contract with clients in other languages. */
    @Test
    void theBytesOfARequestAreThePublishedOnes() {
        var bytes = ByteBuffer.wrap(request().encode()).order(ByteOrder.LITTLE_ENDIAN);

        assertThat(new String(bytes.array(), 0, 4, StandardCharsets.US_ASCII)).isEqualTo("NBPA");
        assertThat(bytes.getShort(4)).isEqualTo((short) 1);
        assertThat(bytes.getShort(6)).isZero();
        assertThat(bytes.getShort(8)).isEqualTo((short) 1);
        assertThat(bytes.getShort(10)).isEqualTo((short) 1);
        assertThat(bytes.getShort(12)).isEqualTo((short) 3);
        assertThat(bytes.getInt(16)).isEqualTo(bytes.capacity() - 64);
        assertThat(new String(bytes.array(), 64, bytes.capacity() - 64, StandardCharsets.UTF_8))
                .isEqualTo("cpus=0-3,7\nmems=0\nname=java é 17\n");
    }

    @Test
    void theBytesOfAnAnswerAreThePublishedOnes() {
        var answer = new AttachAnswer(
                AttachAnswer.Status.BUSY, AttachAccess.READ_ONLY, 0x0102030405060708L, 4096, 8192, "no");
        var bytes = ByteBuffer.wrap(answer.encode()).order(ByteOrder.LITTLE_ENDIAN);

        assertThat(new String(bytes.array(), 0, 4, StandardCharsets.US_ASCII)).isEqualTo("NBPR");
        assertThat(bytes.getShort(8)).isEqualTo((short) 2);
        assertThat(bytes.getShort(10)).isEqualTo((short) 1);
        assertThat(bytes.getLong(16)).isEqualTo(0x0102030405060708L);
        assertThat(bytes.getLong(24)).isEqualTo(4096);
        assertThat(bytes.getLong(32)).isEqualTo(8192);
        assertThat(bytes.getInt(40)).isEqualTo(2);
        assertThat(new String(new ClientClaim(1).encode(), 0, 4, StandardCharsets.US_ASCII))
                .isEqualTo("NBPC");
    }

    @Test
    void anotherMajorVersionIsRefusedByName() {
        byte[] message = request().encode();
        message[4] = 2;

        assertThatThrownBy(() -> decodeRequest(message))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("speaks attach protocol 2.0; this side speaks 1.x");
    }

    @Test
    void aHigherMinorVersionMayUseBytesThatAreZeroToday() throws MalformedMessage {
        byte[] message = request().encode();
        message[6] = 1;
        message[60] = 1;

        assertThat(decodeRequest(message)).isEqualTo(request());
    }

    @Test
    void everyMistakeIsToldInOneSentence() {
        assertRefused(flipped(0, 'X'), "the message begins with 0x41504258 instead of 0x4150424e");
        assertRefused(flipped(8, 9), "The request's kind is 9; known are 1 (attach) and 2 (status).");
        assertRefused(flipped(14, 1), "reserved field is 1");
        assertRefused(flipped(19, 0x80), "announces a body of 21474");
        assertRefused(flipped(18, 1), "announces a body of 65");
        assertRefused(flipped(63, 7), "Byte 63 of the header is 7");
        assertRefused(Arrays.copyOf(request().encode(), 63), "ended after 63 of the 64 bytes");
        assertRefused(Arrays.copyOf(request().encode(), 70), "ended after 6 of the 34 bytes");
        assertRefused(withBody("name"), "not key=value");
        assertRefused(withBody("NAME=x"), "not key=value");
        assertRefused(withBody("name=a\u0007"), "without control characters");
        assertRefused(withBody("name=a\nname=b"), "the key name twice");
        assertRefused(flipped(70, 0xFF), "not UTF-8");
    }

    private static void assertRefused(byte[] message, String words) {
        assertThatThrownBy(() -> decodeRequest(message))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining(words);
    }

    private static byte[] flipped(int at, int value) {
        byte[] message = request().encode();
        message[at] = (byte) value;
        return message;
    }

    private static byte[] withBody(String body) {
        byte[] text = body.getBytes(StandardCharsets.UTF_8);
        byte[] message = Arrays.copyOf(request().encode(), 64 + text.length);
        System.arraycopy(text, 0, message, 64, text.length);
        ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).putInt(16, text.length);
        return message;
    }

    @Test
    void noBytesGetAnythingButAMessageOrASentence() {
        long seed = System.nanoTime();
        System.out.println("AttachMessagesTest seed " + seed);
        var random = new Random(seed);
        int understood = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            understood += understood(mutated(random, request().encode())) ? 1 : 0;
        }

        assertThat(understood).as("seed %d", seed).isBetween(1, MUTATIONS - 1);
    }

    private static boolean understood(byte[] message) {
        try {
            decodeRequest(message);
            return true;
        } catch (MalformedMessage e) {
            assertThat(e.sentence()).isNotBlank();
            return false;
        }
    }

    private static byte[] mutated(Random random, byte[] message) {
        for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
            message[random.nextInt(message.length)] = (byte) random.nextInt();
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(message, random.nextInt(message.length * 2)) : message;
    }
}
