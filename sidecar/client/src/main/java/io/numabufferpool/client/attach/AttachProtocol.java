package io.numabufferpool.client.attach;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The attach protocol, version 1.0: names, numbers and limits that both sides share. All numbers are little endian.
 *
 * <pre>
 * client -> sidecar   {@link AttachRequest}   64-byte header, body of key=value lines
 * sidecar -> client   {@link AttachAnswer}    64-byte header, body of text; with ATTACH also two descriptors: control, buffers
 * client -> sidecar   {@link ClientClaim}     16 bytes: the lock byte this client holds             (ATTACH only)
 * sidecar -> client   {@link AttachAnswer}    OK: the claim was checked and the client is listed    (ATTACH only)
 * </pre>
 *
 * <p>The connection then stays open and silent; its end means "look at the lock byte now".
 */
public final class AttachProtocol {
    /** The major version; another one is refused by name. */
    public static final int MAJOR = 1;

    /** The minor version: a higher one may use header bytes that are zero in this one. */
    public static final int MINOR = 0;

    /** Bytes of the header of a request and of an answer. */
    public static final int HEADER_BYTES = 64;

    /** The longest body of a request: a few short lines. */
    public static final int REQUEST_BODY_BYTES_MAX = 4096;

    /** The longest body of an answer: a status document of a large pool is well below it. */
    public static final int ANSWER_BODY_BYTES_MAX = 1 << 20;

    /** How long one message may take from its first to its last byte: far more than a busy machine needs for a few KiB. */
    public static final int MESSAGE_TIMEOUT_MILLIS = 5_000;

    /** The client number of the sidecar itself, the highest that an owner field holds; nobody else may take it. */
    public static final int SIDECAR_NUMBER = 65_535;

    /** The last number of a client. */
    public static final int CLIENT_NUMBER_MAX = SIDECAR_NUMBER - 1;

    /** The socket in the attach folder. */
    public static final String SOCKET_NAME = "attach.sock";

    /** The lock file in the attach folder. */
    public static final String LOCK_NAME = "clients.lock";

    /** The environment variable that names the attach folder in a container of a pod. */
    public static final String FOLDER_VARIABLE = "NUMAPOOL_ATTACH";

    /** Permissions of the socket and of the lock file: any uid of the pod may attach. */
    public static final int PERMISSIONS = 0666;

    private AttachProtocol() {}

    static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Header bytes that this version does not use must be zero unless the sender's minor version is higher. */
    static void checkZero(byte[] header, int from, int senderMinor) throws MalformedMessage {
        if (senderMinor > MINOR) {
            return;
        }
        for (int at = from; at < header.length; at++) {
            if (header[at] != 0) {
                throw new MalformedMessage("Byte " + at + " of the header is " + header[at]
                        + "; it must be 0 in protocol " + MAJOR + "." + senderMinor + ".");
            }
        }
    }

    static void checkMajor(int senderMajor, int senderMinor) throws MalformedMessage {
        if (senderMajor != MAJOR) {
            throw new MalformedMessage("The other side speaks attach protocol " + senderMajor + "." + senderMinor
                    + "; this side speaks " + MAJOR + ".x. Use a client and a sidecar of the same release.");
        }
    }

    static void checkLength(byte[] message, int bytes, String what) throws MalformedMessage {
        if (message.length != bytes) {
            throw new MalformedMessage(
                    "The stream ended after " + message.length + " of the " + bytes + " bytes of " + what + ".");
        }
    }
}
