package io.numabufferpool.client;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachAnswer;
import io.numabufferpool.client.attach.AttachAnswer.Status;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.ClientClaim;
import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.linux.FileSystemStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.linux.UnixConnection;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.pool.PoolOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The client's side of the attach protocol. Without state. */
final class AttachHandshake {
    /** Mappings begin on huge pages, or the kernel could not map them as such. */
    private static final long ALIGNMENT_BYTES = 2L << 20;

    /** Of one property: a list of CPUs that is longer says nothing that helps. */
    private static final int PROPERTY_LENGTH_MAX = 1024;

    private static final int NAME_LENGTH_MAX = 64;

    private final Linux linux;
    private final Path folder;

    AttachHandshake(Linux linux, Path folder) {
        this.linux = linux;
        this.folder = folder;
    }

    /** What the sidecar granted: its answer, and the descriptors, which are the receiver's to close. */
    record Granted(AttachAnswer answer, List<LinuxFile> files) implements AutoCloseable {
        LinuxFile control() {
            return files.get(0);
        }

        LinuxFile buffers() {
            return files.get(1);
        }

        @Override
        public void close() {
            files.forEach(LinuxFile::close);
        }
    }

    /** The sidecar said no (or not now), in a sentence. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final Status status;
        private final String sentence;
        private final long generation;

        Refused(AttachAnswer answer) {
            super(answer.body());
            this.generation = answer.generation();
            this.status = answer.status();
            this.sentence = answer.body();
        }

        boolean forGood() {
            return status == Status.REFUSED;
        }

        String sentence() {
            return sentence;
        }

        /** Of the segment that is served; 0: none yet. */
        long generation() {
            return generation;
        }
    }

    /** The whole handshake. Leaves nothing open when it throws. */
    Attachment attach(PoolOptions options) throws MalformedMessage, Refused {
        var connection =
                linux.connect(folder.resolve(AttachProtocol.SOCKET_NAME), AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
        try (var granted = request(connection)) {
            return attach(connection, granted, options);
        } catch (MalformedMessage | Refused | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private Attachment attach(UnixConnection connection, Granted granted, PoolOptions options)
            throws MalformedMessage, Refused {
        var answer = granted.answer();
        var access = answer.access() == AttachAccess.READ_ONLY ? Access.READ_ONLY : Access.READ_WRITE;
        var protection = access == Access.READ_ONLY ? Protection.READ : Protection.READ_WRITE;
        var control = map(granted.control(), answer.controlBytes(), Protection.READ_WRITE);
        Mapping buffers = null;
        ClientsLock lock = null;
        try {
            buffers = map(granted.buffers(), answer.buffersBytes(), protection);
            lock = ClientsLock.open(linux, folder);
            for (int number = 1; number <= AttachProtocol.CLIENT_NUMBER_MAX; number++) {
                var pool = tryNumber(lock, number, control, buffers, access, options);
                if (pool.isPresent()) {
                    claim(connection, number);
                    return new Attachment(
                            folder,
                            connection,
                            lock,
                            number,
                            answer.generation(),
                            access,
                            control,
                            buffers,
                            pool.get(),
                            answer.advice(AttachAnswer.KEY_BIND_CPUS));
                }
            }
            throw new AttachFailed("All " + AttachProtocol.CLIENT_NUMBER_MAX + " client numbers of " + folder
                    + " are taken. Use fewer processes, with more sessions each.");
        } catch (MalformedMessage | Refused | RuntimeException e) {
            close(control, buffers, lock);
            throw e;
        }
    }

    private static void close(Mapping control, @Nullable Mapping buffers, @Nullable ClientsLock lock) {
        control.close();
        if (buffers != null) {
            buffers.close();
        }
        if (lock != null) {
            lock.close();
        }
    }

    private Mapping map(LinuxFile file, long announcedBytes, Protection protection) {
        long bytes = linux.status(file).bytes();
        if (bytes != announcedBytes || bytes == 0) {
            throw new AttachFailed(
                    "The sidecar announced " + announcedBytes + " bytes of " + file.name() + " and passed a file of "
                            + bytes + ": it was truncated, or another file lies in its place. Restart the pod.");
        }
        var fileSystem = linux.fileSystem(Path.of("/proc/self/fd/" + file.descriptor()));
        long alignmentBytes = fileSystem.kind() == FileSystemStatus.Kind.HUGETLBFS
                ? Math.max(ALIGNMENT_BYTES, fileSystem.pageBytes())
                : ALIGNMENT_BYTES;
        return linux.map(file, 0, bytes, protection, alignmentBytes);
    }

    /** The pool under this client number, with its byte taken; empty where the number belongs to someone else, or to a dead one. */
    private Optional<BufferPool> tryNumber(
            ClientsLock lock, int number, Mapping control, Mapping buffers, Access access, PoolOptions options) {
        if (!lock.tryTake(number)) {
            return Optional.empty();
        }
        try {
            return Optional.of(BufferPool.attach(control.memory(), buffers.memory(), linux, number, access, options));
        } catch (PoolException.ClientNumberInUse owedToTheReaper) {
            lock.release(number);
            return Optional.empty();
        } catch (PoolException.SegmentMismatch e) {
            throw new AttachFailed(
                    "The segment that the sidecar at " + folder + " passed cannot be used: " + e.getMessage(), e);
        }
    }

    /** Asks to attach. */
    Granted request(UnixConnection connection) throws MalformedMessage, Refused {
        connection.send(
                new AttachRequest(AttachRequest.Kind.ATTACH, LayoutVersion.MAJOR, LayoutVersion.MINOR, properties())
                        .encode(),
                List.of());
        var received = connection.receive(AttachProtocol.HEADER_BYTES, 2);
        var granted = new Granted(answer(connection, received), received.files());
        try {
            checkOk(granted.answer());
            if (granted.files().size() != 2) {
                throw new MalformedMessage("The sidecar passed "
                        + granted.files().size() + " descriptors; they must be control and buffers.");
            }
            return granted;
        } catch (MalformedMessage | Refused e) {
            granted.close();
            throw e;
        }
    }

    /** Tells which byte this client holds. */
    void claim(UnixConnection connection, int number) throws MalformedMessage, Refused {
        connection.send(new ClientClaim(number).encode(), List.of());
        checkOk(answer(connection, connection.receive(AttachProtocol.HEADER_BYTES, 0)));
    }

    private static AttachAnswer answer(UnixConnection connection, UnixConnection.Received received)
            throws MalformedMessage {
        try {
            var header = AttachAnswer.decodeHeader(received.bytes());
            byte[] body = header.bodyBytes() == 0
                    ? new byte[0]
                    : connection.receive(header.bodyBytes(), 0).bytes();
            return AttachAnswer.decode(header, body);
        } catch (MalformedMessage | LinuxException e) {
            received.files().forEach(LinuxFile::close);
            throw e;
        }
    }

    private static void checkOk(AttachAnswer answer) throws Refused {
        if (answer.status() != Status.OK) {
            throw new Refused(answer);
        }
    }

    private SortedMap<String, String> properties() {
        var status = linux.processStatus();
        var properties = new TreeMap<String, String>();
        putShort(properties, AttachRequest.KEY_CPUS, status.cpusAllowed().toString());
        putShort(properties, AttachRequest.KEY_MEMS, status.memsAllowed().toString());
        properties.put(AttachRequest.KEY_NAME, name());
        return properties;
    }

    private static void putShort(SortedMap<String, String> properties, String key, String value) {
        if (value.length() <= PROPERTY_LENGTH_MAX) {
            properties.put(key, value);
        }
    }

    /** The main class or jar without its folders, and the pid: what a person would look for with ps. */
    private String name() {
        var words = System.getProperty("sun.java.command", "java").split(" ", 2);
        var program = words[0].substring(words[0].lastIndexOf('/') + 1);
        var name = program.replaceAll("[^\\p{Graph}]", "?") + " " + linux.processId();
        return name.length() <= NAME_LENGTH_MAX ? name : name.substring(name.length() - NAME_LENGTH_MAX);
    }
}
