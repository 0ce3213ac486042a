package io.numabufferpool.client.attach;

/**
 * The message in which a client names the byte of {@code clients.lock} that it holds.
 *
 * @param clientNumber 1 or more
 */
public record ClientClaim(int clientNumber) {
    /** Bytes of the message. */
    public static final int BYTES = 16;

    /** 'NBPC' */
    private static final int MAGIC = 0x4350424E;

    public ClientClaim {
        if (clientNumber < 1) {
            throw new IllegalArgumentException("client number " + clientNumber + "; the first is 1");
        }
    }

    public byte[] encode() {
        var message = new byte[BYTES];
        AttachProtocol.littleEndian(message).putInt(MAGIC).putInt(clientNumber).putLong(0);
        return message;
    }

    /** Understands a claim; says in one sentence what is wrong with any other bytes. */
    public static ClientClaim decode(byte[] bytes) throws MalformedMessage {
        AttachProtocol.checkLength(bytes, BYTES, "a claim");
        var message = AttachProtocol.littleEndian(bytes);
        int magic = message.getInt();
        int clientNumber = message.getInt();
        if (magic != MAGIC || clientNumber < 1 || message.getLong() != 0) {
            throw new MalformedMessage("The claim of a client number is not {0x" + Integer.toHexString(MAGIC)
                    + ", a number from 1, 0}: it begins with 0x" + Integer.toHexString(magic) + ", " + clientNumber
                    + ".");
        }
        return new ClientClaim(clientNumber);
    }
}
