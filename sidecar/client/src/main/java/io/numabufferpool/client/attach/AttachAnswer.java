package io.numabufferpool.client.attach;

import java.nio.charset.StandardCharsets;

/**
 * What the sidecar says.
 *
 * @param status whether the request was granted
 * @param access what the client may do with the buffers
 * @param generation of the segment; 0 where there is none yet
 * @param controlBytes length of the control file
 * @param buffersBytes length of the buffers file
 * @param body one sentence, or a status document in JSON; where a client is granted the segment, lines {@code key=value} of
 *     advice, see {@link #KEY_BIND_CPUS}
 */
public record AttachAnswer(
        Status status, AttachAccess access, long generation, long controlBytes, long buffersBytes, String body) {
    /** The CPUs that the client's threads are to run on: {@code spec.placement.bindCpus}. */
    public static final String KEY_BIND_CPUS = "bindCpus";

    /** 'NBPR' */
    private static final int MAGIC = 0x5250424E;

    private static final int RESERVED_OFFSET = 44;

    /** Whether the request was granted. */
    public enum Status {
        OK(0),
        /** For good: the body says why and what to change. */
        REFUSED(1),
        /** For now: the body says what is going on; ask again. */
        BUSY(2);

        private final int number;

        Status(int number) {
            this.number = number;
        }
    }

    /** The header's part of an answer: its body has not come yet, {@link #body()} is empty. */
    public record Header(AttachAnswer answer, int bodyBytes) {}

    /** An answer that is only a sentence. */
    public static AttachAnswer sentence(Status status, String sentence) {
        return new AttachAnswer(status, AttachAccess.READ_WRITE, 0, 0, 0, sentence);
    }

    /** The advice of that key in an answer that grants the segment; empty where there is none. */
    public String advice(String key) {
        return body.lines()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Header and body. */
    public byte[] encode() {
        byte[] bodyBytes = body.getBytes(StandardCharsets.UTF_8);
        if (bodyBytes.length > AttachProtocol.ANSWER_BODY_BYTES_MAX) {
            throw new IllegalArgumentException("An answer body of " + bodyBytes.length + " bytes; at most "
                    + AttachProtocol.ANSWER_BODY_BYTES_MAX);
        }
        var message = new byte[AttachProtocol.HEADER_BYTES + bodyBytes.length];
        AttachProtocol.littleEndian(message)
                .putInt(MAGIC)
                .putShort((short) AttachProtocol.MAJOR)
                .putShort((short) AttachProtocol.MINOR)
                .putShort((short) status.number)
                .putShort((short) access.number())
                .putInt(0)
                .putLong(generation)
                .putLong(controlBytes)
                .putLong(buffersBytes)
                .putInt(bodyBytes.length)
                .put(AttachProtocol.HEADER_BYTES, bodyBytes);
        return message;
    }

    /** Understands a header; says in one sentence what is wrong with any other bytes. */
    public static Header decodeHeader(byte[] bytes) throws MalformedMessage {
        AttachProtocol.checkLength(bytes, AttachProtocol.HEADER_BYTES, "an answer's header");
        var header = AttachProtocol.littleEndian(bytes);
        int magic = header.getInt();
        if (magic != MAGIC) {
            throw new MalformedMessage("The answer begins with 0x" + Integer.toHexString(magic) + " instead of 0x"
                    + Integer.toHexString(MAGIC) + ": no sidecar of a NumaBufferPool listens there.");
        }
        int major = Short.toUnsignedInt(header.getShort());
        int minor = Short.toUnsignedInt(header.getShort());
        AttachProtocol.checkMajor(major, minor);
        var status = status(Short.toUnsignedInt(header.getShort()));
        var access = AttachAccess.of(Short.toUnsignedInt(header.getShort()));
        int reserved = header.getInt();
        if (reserved != 0 && minor <= AttachProtocol.MINOR) {
            throw new MalformedMessage("The answer's reserved field is " + reserved + "; it must be 0.");
        }
        long generation = header.getLong();
        long controlBytes = header.getLong();
        long buffersBytes = header.getLong();
        if (controlBytes < 0 || buffersBytes < 0) {
            throw new MalformedMessage(
                    "The answer announces files of " + controlBytes + " and " + buffersBytes + " bytes.");
        }
        int bodyBytes = header.getInt();
        if (bodyBytes < 0 || bodyBytes > AttachProtocol.ANSWER_BODY_BYTES_MAX) {
            throw new MalformedMessage("The answer announces a body of " + Integer.toUnsignedString(bodyBytes)
                    + " bytes; at most " + AttachProtocol.ANSWER_BODY_BYTES_MAX + " are read.");
        }
        AttachProtocol.checkZero(bytes, RESERVED_OFFSET, minor);
        return new Header(new AttachAnswer(status, access, generation, controlBytes, buffersBytes, ""), bodyBytes);
    }

    private static Status status(int number) throws MalformedMessage {
        for (var status : Status.values()) {
            if (status.number == number) {
                return status;
            }
        }
        throw new MalformedMessage(
                "The answer's status is " + number + "; known are 0 (OK), 1 (refused) and 2 (busy).");
    }

    /** Understands the body that follows {@code header}. */
    public static AttachAnswer decode(Header header, byte[] body) throws MalformedMessage {
        AttachProtocol.checkLength(body, header.bodyBytes(), "an answer's body");
        var answer = header.answer();
        return new AttachAnswer(
                answer.status(),
                answer.access(),
                answer.generation(),
                answer.controlBytes(),
                answer.buffersBytes(),
                new String(body, StandardCharsets.UTF_8));
    }
}
