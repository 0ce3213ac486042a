package io.numabufferpool.client.attach;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a client asks for.
 *
 * @param kind attach or status
 * @param layoutMajor the layout the client reads
 * @param layoutMinor the same
 * @param properties what the client says of itself, see the KEY constants; unmodifiable
 */
public record AttachRequest(Kind kind, int layoutMajor, int layoutMinor, SortedMap<String, String> properties) {
    /** Cpus_allowed_list of the client. */
    public static final String KEY_CPUS = "cpus";

    /** Mems_allowed_list of the client. */
    public static final String KEY_MEMS = "mems";

    /** A name for people: in status and in messages. */
    public static final String KEY_NAME = "name";

    /** With a status question: count every page now and answer with where they lie. */
    public static final String KEY_VERIFY = "verify";

    /** 'NBPA' */
    private static final int MAGIC = 0x4150424E;

    /** There are three keys today; room for a few more without room for abuse. */
    private static final int PROPERTY_COUNT_MAX = 16;

    private static final int KEY_LENGTH_MAX = 32;

    private static final int RESERVED_OFFSET = 20;

    /** The question. */
    public enum Kind {
        ATTACH(1),
        STATUS(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    public AttachRequest {
        properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
        if (properties.size() > PROPERTY_COUNT_MAX) {
            throw new IllegalArgumentException(properties.size() + " properties; at most " + PROPERTY_COUNT_MAX);
        }
        properties.forEach((key, value) -> {
            if (!isKey(key) || !isText(value)) {
                throw new IllegalArgumentException("Property \"" + key + "\" cannot be sent: a key is 1 to "
                        + KEY_LENGTH_MAX + " lower-case letters, a value has no control characters.");
            }
        });
    }

    /** The header's part of a request: its body has not come yet. */
    public record Header(Kind kind, int layoutMajor, int layoutMinor, int bodyBytes) {}

    /** Header and body. */
    public byte[] encode() {
        var lines = new StringBuilder();
        properties.forEach(
                (key, value) -> lines.append(key).append('=').append(value).append('\n'));
        byte[] body = lines.toString().getBytes(StandardCharsets.UTF_8);
        if (body.length > AttachProtocol.REQUEST_BODY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "A request body of " + body.length + " bytes; at most " + AttachProtocol.REQUEST_BODY_BYTES_MAX);
        }
        var message = new byte[AttachProtocol.HEADER_BYTES + body.length];
        AttachProtocol.littleEndian(message)
                .putInt(MAGIC)
                .putShort((short) AttachProtocol.MAJOR)
                .putShort((short) AttachProtocol.MINOR)
                .putShort((short) kind.number)
                .putShort((short) layoutMajor)
                .putShort((short) layoutMinor)
                .putShort((short) 0)
                .putInt(body.length)
                .put(AttachProtocol.HEADER_BYTES, body);
        return message;
    }

    /** Understands a header; says in one sentence what is wrong with any other 64 (or fewer) bytes. */
    public static Header decodeHeader(byte[] bytes) throws MalformedMessage {
        AttachProtocol.checkLength(bytes, AttachProtocol.HEADER_BYTES, "a request's header");
        var header = AttachProtocol.littleEndian(bytes);
        int magic = header.getInt();
        if (magic != MAGIC) {
            throw new MalformedMessage("This is the attach socket of a NumaBufferPool; the message begins with 0x"
                    + Integer.toHexString(magic) + " instead of 0x" + Integer.toHexString(MAGIC) + ".");
        }
        int major = Short.toUnsignedInt(header.getShort());
        int minor = Short.toUnsignedInt(header.getShort());
        AttachProtocol.checkMajor(major, minor);
        var kind = kind(Short.toUnsignedInt(header.getShort()));
        int layoutMajor = Short.toUnsignedInt(header.getShort());
        int layoutMinor = Short.toUnsignedInt(header.getShort());
        int reserved = Short.toUnsignedInt(header.getShort());
        if (reserved != 0 && minor <= AttachProtocol.MINOR) {
            throw new MalformedMessage("The request's reserved field is " + reserved + "; it must be 0.");
        }
        int bodyBytes = header.getInt();
        if (bodyBytes < 0 || bodyBytes > AttachProtocol.REQUEST_BODY_BYTES_MAX) {
            throw new MalformedMessage("The request announces a body of " + Integer.toUnsignedString(bodyBytes)
                    + " bytes; at most " + AttachProtocol.REQUEST_BODY_BYTES_MAX + " are read.");
        }
        AttachProtocol.checkZero(bytes, RESERVED_OFFSET, minor);
        return new Header(kind, layoutMajor, layoutMinor, bodyBytes);
    }

    private static Kind kind(int number) throws MalformedMessage {
        for (var kind : Kind.values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        throw new MalformedMessage("The request's kind is " + number + "; known are 1 (attach) and 2 (status).");
    }

    /** Understands the body that follows {@code header}. */
    public static AttachRequest decode(Header header, byte[] body) throws MalformedMessage {
        AttachProtocol.checkLength(body, header.bodyBytes(), "a request's body");
        var properties = new TreeMap<String, String>();
        for (var line : text(body).split("\n", -1)) {
            if (line.isEmpty()) {
                continue;
            }
            int equals = line.indexOf('=');
            String key = equals < 0 ? line : line.substring(0, equals);
            String value = equals < 0 ? "" : line.substring(equals + 1);
            if (equals < 0 || !isKey(key) || !isText(value)) {
                throw new MalformedMessage("A line of the request's body is not key=value, with a key of 1 to "
                        + KEY_LENGTH_MAX + " lower-case letters and a value without control characters.");
            }
            if (properties.put(key, value) != null) {
                throw new MalformedMessage("The request's body has the key " + key + " twice.");
            }
            if (properties.size() > PROPERTY_COUNT_MAX) {
                throw new MalformedMessage("The request's body has more than " + PROPERTY_COUNT_MAX + " lines.");
            }
        }
        return new AttachRequest(header.kind(), header.layoutMajor(), header.layoutMinor(), properties);
    }

    private static String text(byte[] body) throws MalformedMessage {
        var decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        try {
            return decoder.decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedMessage("The request's body is not UTF-8 text.", e);
        }
    }

    private static boolean isKey(String key) {
        return !key.isEmpty() && key.length() <= KEY_LENGTH_MAX && key.chars().allMatch(c -> c >= 'a' && c <= 'z');
    }

    private static boolean isText(String value) {
        return value.chars().noneMatch(Character::isISOControl);
    }
}
