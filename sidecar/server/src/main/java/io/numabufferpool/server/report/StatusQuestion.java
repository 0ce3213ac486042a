package io.numabufferpool.server.report;

import io.numabufferpool.client.attach.AttachAnswer;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.UnixConnection;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Asks a running sidecar for its status over the attach socket. */
public final class StatusQuestion {
    /** A sidecar that has just started loads classes for its first answer, which a busy machine makes late. */
    private static final int TRIES_MAX = 3;

    /** Counting walks the page tables: 1 TiB of 4 KiB pages takes about half a minute. */
    private static final int COUNT_MILLIS_MAX = 120_000;

    private StatusQuestion() {}

    /** Something that is no status answer came. */
    public static final class NoStatus extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoStatus(String message) {
            super(message);
        }
    }

    /**
     * The status document as JSON.
     *
     * @param attachFolder holds {@code attach.sock}
     * @throws LinuxException where nobody listens there, or no answer came in time
     * @throws NoStatus where the answer is a refusal or malformed
     */
    public static String ask(Linux linux, Path attachFolder) {
        return ask(linux, attachFolder, new TreeMap<>(), AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
    }

    /** The same for a {@link VerificationDocument}: the sidecar counts every page before it answers. */
    public static String askVerification(Linux linux, Path attachFolder) {
        return ask(linux, attachFolder, new TreeMap<>(Map.of(AttachRequest.KEY_VERIFY, "now")), COUNT_MILLIS_MAX);
    }

    private static String ask(Linux linux, Path attachFolder, SortedMap<String, String> properties, int timeoutMillis) {
        for (int tries = 1; ; tries++) {
            try {
                return askOnce(linux, attachFolder, properties, timeoutMillis);
            } catch (LinuxException late) {
                boolean timedOut = late.errno() == Errno.ETIMEDOUT || late.errno() == Errno.EAGAIN;
                if (!timedOut || tries == TRIES_MAX) {
                    throw late;
                }
            }
        }
    }

    private static String askOnce(
            Linux linux, Path attachFolder, SortedMap<String, String> properties, int timeoutMillis) {
        var socket = attachFolder.resolve(AttachProtocol.SOCKET_NAME);
        var request =
                new AttachRequest(AttachRequest.Kind.STATUS, LayoutVersion.MAJOR, LayoutVersion.MINOR, properties);
        try (var connection = linux.connect(socket, timeoutMillis)) {
            connection.send(request.encode(), java.util.List.of());
            var header = AttachAnswer.decodeHeader(receive(connection, AttachProtocol.HEADER_BYTES));
            var answer = AttachAnswer.decode(header, receive(connection, header.bodyBytes()));
            if (answer.status() != AttachAnswer.Status.OK) {
                throw new NoStatus("The sidecar at " + socket + " answered " + answer.status() + ": " + answer.body());
            }
            return answer.body();
        } catch (MalformedMessage malformed) {
            throw new NoStatus("What answers at " + socket + " is no sidecar: " + malformed.sentence());
        }
    }

    private static byte[] receive(UnixConnection connection, int bytes) {
        if (bytes == 0) {
            return new byte[0];
        }
        var received = connection.receive(bytes, 0);
        received.files().forEach(LinuxFile::close);
        return received.bytes();
    }
}
