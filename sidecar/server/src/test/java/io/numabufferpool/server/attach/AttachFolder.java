package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachAnswer;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.ClientClaim;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.UnixConnection;
import io.numabufferpool.placement.CpuSet;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Fixture: an attach folder with a live server in it, and peers of every kind. */
final class AttachFolder implements AutoCloseable {
    static final int CONTROL_BYTES = 8192;
    static final int BUFFERS_BYTES = 65_536;
    static final long GENERATION = 0xFEDCBA9876543210L;
    /** More than any answer to a bad message. */
    private static final int DRAIN_BYTES_MAX = 8192;

    final Linux linux = new JnaLinux();
    final Path folder;
    final List<String> events = Collections.synchronizedList(new ArrayList<>());
    final AttachServer server;
    private final LinuxFile control;
    private final LinuxFile buffers;

    AttachFolder(Path folder, int messageTimeoutMillis) throws IOException {
        this.folder = Files.createDirectories(folder.resolve("attach"));
        this.control = file("control", CONTROL_BYTES);
        this.buffers = file("buffers", BUFFERS_BYTES);
        this.server = AttachServer.start(
                linux, this.folder, () -> "{\"pool\":\"test\"}", recorder(), Clock.systemUTC(), messageTimeoutMillis);
    }

    private LinuxFile file(String name, long bytes) {
        var file = linux.open(folder.resolveSibling(name), OpenMode.CREATE, 0600);
        linux.setLength(file, bytes);
        return file;
    }

    private AttachEvents recorder() {
        return new AttachEvents() {
            @Override
            public void attached(AttachedClient client) {
                events.add("attached " + client.number());
            }

            @Override
            public void ended(AttachedClient client) {
                events.add("ended " + client.number());
            }
        };
    }

    void publish(AttachAccess access) {
        server.publish(new ServedSegment(
                control, buffers, GENERATION, CONTROL_BYTES, BUFFERS_BYTES, 1, 0, access, CpuSet.empty()));
    }

    static AttachRequest request(AttachRequest.Kind kind, int layoutMajor) {
        return new AttachRequest(
                kind, layoutMajor, 0, new TreeMap<>(Map.of("cpus", "0-1", "mems", "0", "name", "test program")));
    }

    UnixConnection connect() {
        return linux.connect(folder.resolve(AttachProtocol.SOCKET_NAME), AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
    }

    /** Sends a request; the answer with the descriptors that came along. */
    static Answered ask(UnixConnection connection, AttachRequest request) throws MalformedMessage {
        connection.send(request.encode(), List.of());
        return answer(connection);
    }

    static Answered claim(UnixConnection connection, int clientNumber) throws MalformedMessage {
        connection.send(new ClientClaim(clientNumber).encode(), List.of());
        return answer(connection);
    }

    private static Answered answer(UnixConnection connection) throws MalformedMessage {
        var received = connection.receive(AttachProtocol.HEADER_BYTES, 2);
        var header = AttachAnswer.decodeHeader(received.bytes());
        byte[] body = connection.receive(header.bodyBytes(), 0).bytes();
        return new Answered(AttachAnswer.decode(header, body), received.files());
    }

    record Answered(AttachAnswer answer, List<LinuxFile> files) {}

    /** A peer of the plainest kind: bytes into a socket. */
    SocketChannel rawPeer() throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(folder.resolve(AttachProtocol.SOCKET_NAME)));
        return channel;
    }

    /** All that the server still says, until it closes; a close with unread bytes is told as a reset. */
    static byte[] drain(SocketChannel channel) throws IOException {
        var bytes = ByteBuffer.allocate(DRAIN_BYTES_MAX);
        try {
            for (int read = 0; read >= 0 && bytes.hasRemaining(); ) {
                read = channel.read(bytes);
            }
        } catch (SocketException reset) {
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @Override
    public void close() {
        server.close();
        control.close();
        buffers.close();
    }
}
