package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachAnswer;
import io.numabufferpool.client.attach.AttachAnswer.Status;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.UnixConnection;
import io.numabufferpool.linux.UnixListener;
import io.numabufferpool.placement.CpuSet;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The attach socket of the sidecar: hands the segment's descriptors to clients, answers status questions, and knows who is connected.
 * Thread-safe.
 *
 * <p>Invariant: a peer can cost others nothing. Connections that have not finished their handshake are at most
 * {@link #HANDSHAKE_MAX}; one more closes the one that has dawdled longest, so a flood of silent connections only displaces itself,
 * while an honest handshake takes a millisecond. Every message has a time limit.
 */
public final class AttachServer implements AutoCloseable {
    /** Handshakes at once. An honest one lasts about a millisecond, so this many begin only in a flood. */
    static final int HANDSHAKE_MAX = 64;

    /** Attached connections at once: each costs a small thread. More clients than this are refused with a sentence. */
    static final int CONNECTION_MAX = 1024;

    /** Waiting connections in the kernel: as many as can be in a handshake. */
    private static final int BACKLOG = HANDSHAKE_MAX;

    /** After a failed accept (no descriptors left, for example): long enough not to spin, short enough not to be noticed. */
    private static final long ACCEPT_RETRY_MILLIS = 100;

    /** At most one refused message a second is logged, with the number of those that were not: a flood must not fill the log. */
    private static final long REFUSAL_LOG_NANOS = 1_000_000_000L;

    /** A conversation needs little; a thousand of them must fit beside the JVM. */
    private static final long STACK_BYTES = 256 << 10;

    /** How long close() waits for the accepting thread. */
    private static final long CLOSE_MILLIS = 6_000;

    private static final System.Logger LOG = System.getLogger(AttachServer.class.getName());

    private final Linux linux;
    private final Path folder;
    private final Supplier<String> statusJson;
    private final AttachEvents events;
    private final Clock clock;
    private final UnixListener listener;
    private final ClientsLock claims;
    private final Thread acceptor;

    private volatile Supplier<Optional<String>> verification = Optional::empty;

    /** Guards the fields below. */
    private final Object lock = new Object();

    private final Deque<AttachConversation> handshakes = new ArrayDeque<>();
    private final Map<Integer, Attached> attached = new HashMap<>();
    private @Nullable ServedSegment segment;
    private @Nullable LinuxFile readOnlyBuffers;
    private boolean closed;
    private long refusalLoggedNanos = System.nanoTime() - REFUSAL_LOG_NANOS;
    private long refusalsNotLogged;

    private record Attached(AttachConversation conversation, AttachedClient client) {}

    private AttachServer(
            Linux linux,
            Path folder,
            Supplier<String> statusJson,
            AttachEvents events,
            Clock clock,
            int messageTimeoutMillis) {
        this.linux = linux;
        this.folder = folder;
        this.statusJson = statusJson;
        this.events = events;
        this.clock = clock;
        this.claims = ClientsLock.openOrCreate(linux, folder);
        this.listener = listen(linux, folder, claims);
        this.acceptor = new Thread(null, () -> acceptLoop(messageTimeoutMillis), "attach-accept", STACK_BYTES);
        acceptor.setDaemon(true);
    }

    private static UnixListener listen(Linux linux, Path folder, ClientsLock claims) {
        try {
            return linux.listen(folder.resolve(AttachProtocol.SOCKET_NAME), AttachProtocol.PERMISSIONS, BACKLOG);
        } catch (LinuxException e) {
            claims.close();
            throw e;
        }
    }

    /**
     * Listens at {@code attach.sock} in {@code folder} and makes {@code clients.lock} where it is absent. Until {@link #publish} a
     * client that wants to attach hears that the pool is not placed yet.
     *
     * @param statusJson the document that answers a status question; called on a connection's thread
     */
    public static AttachServer start(
            Linux linux, Path folder, Supplier<String> statusJson, AttachEvents events, Clock clock) {
        return start(linux, folder, statusJson, events, clock, AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
    }

    static AttachServer start(
            Linux linux,
            Path folder,
            Supplier<String> statusJson,
            AttachEvents events,
            Clock clock,
            int messageTimeoutMillis) {
        var server = new AttachServer(linux, folder, statusJson, events, clock, messageTimeoutMillis);
        server.acceptor.start();
        return server;
    }

    /** From now on clients get this segment. */
    public void publish(ServedSegment published) {
        var readOnly = published.access() == AttachAccess.READ_ONLY
                ? linux.reopen(published.buffers(), OpenMode.READ_ONLY)
                : null;
        synchronized (lock) {
            if (segment != null) {
                throw new IllegalStateException("a segment is served already");
            }
            segment = published;
            readOnlyBuffers = readOnly;
        }
    }

    /** From now on clients are told the same segment with these CPUs to run on. */
    public void advise(CpuSet cpus) {
        synchronized (lock) {
            if (segment == null) {
                throw new IllegalStateException("no segment is served yet");
            }
            segment = segment.withCpus(cpus);
        }
    }

    /** Who is connected now, by client number. */
    public List<AttachedClient> clients() {
        synchronized (lock) {
            return attached.values().stream()
                    .map(Attached::client)
                    .sorted(Comparator.comparingInt(AttachedClient::number))
                    .toList();
        }
    }

    private void acceptLoop(int messageTimeoutMillis) {
        while (!isClosed()) {
            try {
                admit(listener.accept(messageTimeoutMillis));
            } catch (LinuxException e) {
                if (isClosed()) {
                    return;
                }
                LOG.log(Level.WARNING, "attach connection not accepted reason={0}", e.getMessage());
                pause(ACCEPT_RETRY_MILLIS);
            }
        }
    }

    private void admit(UnixConnection connection) {
        AttachConversation dawdler = null;
        AttachConversation conversation;
        try {
            conversation = new AttachConversation(this, connection, connection.peer(), clock);
        } catch (LinuxException e) {
            connection.close();
            throw e;
        }
        synchronized (lock) {
            if (closed) {
                connection.close();
                return;
            }
            if (handshakes.size() >= HANDSHAKE_MAX) {
                dawdler = handshakes.removeFirst();
            }
            handshakes.addLast(conversation);
        }
        if (dawdler != null) {
            dawdler.abort("more than " + HANDSHAKE_MAX + " handshakes at once, and this one began first");
        }
        var thread = new Thread(null, conversation, "attach-conversation", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- what a conversation asks --------------------------------------------------------------------------

    Optional<ServedSegment> segment() {
        synchronized (lock) {
            return Optional.ofNullable(segment);
        }
    }

    /** The descriptor of the buffers file that clients get. */
    LinuxFile buffersFor(ServedSegment served) {
        synchronized (lock) {
            return readOnlyBuffers == null ? served.buffers() : readOnlyBuffers;
        }
    }

    /** Counts pages when somebody asks; until then, and where it answers with nothing, there is nothing to count. */
    public void verifiesBy(Supplier<Optional<String>> counting) {
        verification = counting;
    }

    AttachAnswer verificationAnswer() {
        Optional<String> json;
        try {
            json = verification.get();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the segment could not be verified", e);
            return AttachAnswer.sentence(Status.BUSY, "The sidecar could not verify its segment: " + e.getMessage());
        }
        return json.map(AttachServer::document)
                .orElseGet(() -> AttachAnswer.sentence(
                        Status.BUSY, "The sidecar serves no segment yet; numapool status says what it waits for."));
    }

    AttachAnswer statusAnswer() {
        String json;
        try {
            json = statusJson.get();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "status could not be made", e);
            return AttachAnswer.sentence(Status.BUSY, "The sidecar could not make its status: " + e.getMessage());
        }
        return document(json);
    }

    private static AttachAnswer document(String json) {
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > AttachProtocol.ANSWER_BODY_BYTES_MAX) {
            return AttachAnswer.sentence(
                    Status.REFUSED,
                    "The document has " + bytes + " bytes; at most " + AttachProtocol.ANSWER_BODY_BYTES_MAX
                            + " fit into an answer. Read /q/metrics instead.");
        }
        return AttachAnswer.sentence(Status.OK, json);
    }

    /** Why this request gets no descriptors; empty where it gets them. */
    Optional<AttachAnswer> refusal(AttachRequest request, Optional<ServedSegment> served) {
        if (served.isEmpty()) {
            return Optional.of(AttachAnswer.sentence(
                    Status.BUSY,
                    "The pool is not placed yet; the sidecar's log and numapool status show how far it is."));
        }
        return reason(request, served.get())
                .map(why -> new AttachAnswer(
                        Status.REFUSED, served.get().access(), served.get().generation(), 0, 0, why));
    }

    private Optional<String> reason(AttachRequest request, ServedSegment served) {
        if (request.layoutMajor() != served.layoutMajor()) {
            return Optional.of("The segment has layout " + served.layoutMajor() + "." + served.layoutMinor()
                    + "; this client reads " + request.layoutMajor() + ".x. Use a client that reads "
                    + served.layoutMajor() + ".x, or a sidecar image of layout " + request.layoutMajor() + ".x.");
        }
        if (!claims.isAt(folder)) {
            return Optional.of(folder.resolve(AttachProtocol.LOCK_NAME)
                    + " was removed or replaced while the sidecar runs, so nobody could see whether this client lives."
                    + " Restart the pod, and find out what removes files there.");
        }
        synchronized (lock) {
            return attached.size() < CONNECTION_MAX
                    ? Optional.empty()
                    : Optional.of(
                            CONNECTION_MAX
                                    + " clients are attached, which is the most. Use fewer processes, with more sessions each.");
        }
    }

    /** Lists the client, or says why not. */
    Optional<AttachAnswer> register(AttachConversation conversation, AttachedClient client) {
        int number = client.number();
        if (number > AttachProtocol.CLIENT_NUMBER_MAX) {
            return Optional.of(AttachAnswer.sentence(
                    Status.REFUSED,
                    "Client number " + number + " does not exist; the last is " + AttachProtocol.CLIENT_NUMBER_MAX
                            + "."));
        }
        synchronized (lock) {
            if (attached.containsKey(number)) {
                return Optional.of(AttachAnswer.sentence(
                        Status.BUSY,
                        "Client number " + number + " has a connection already: "
                                + attached.get(number).client()));
            }
            // Locks of one description do not exclude each other: only one check at a time.
            if (claims.tryTake(number)) {
                claims.release(number);
                return Optional.of(AttachAnswer.sentence(
                        Status.REFUSED,
                        "Nobody holds byte " + number + " of " + AttachProtocol.LOCK_NAME
                                + "; lock it before claiming it."));
            }
            handshakes.remove(conversation);
            attached.put(number, new Attached(conversation, client));
        }
        events.attached(client);
        return Optional.empty();
    }

    /** The conversation is over. */
    void ended(AttachConversation conversation) {
        AttachedClient client = null;
        synchronized (lock) {
            handshakes.remove(conversation);
            for (var one : attached.values()) {
                if (one.conversation() == conversation) {
                    client = one.client();
                }
            }
            if (client != null) {
                attached.remove(client.number());
            }
        }
        if (client != null) {
            events.ended(client);
        }
    }

    /** A message was not understood. */
    void logRefusal(UnixConnection.PeerCredentials peer, String reason) {
        long notLogged;
        synchronized (lock) {
            long now = System.nanoTime();
            if (now - refusalLoggedNanos < REFUSAL_LOG_NANOS) {
                refusalsNotLogged++;
                return;
            }
            refusalLoggedNanos = now;
            notLogged = refusalsNotLogged;
            refusalsNotLogged = 0;
        }
        LOG.log(
                Level.WARNING,
                "attach request refused uid={0} reason={1} refusedBeforeNotLogged={2}",
                peer.uid(),
                reason,
                notLogged);
    }

    private boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            // close() interrupts; the loop looks at closed next.
            Thread.currentThread().interrupt();
        }
    }

    /** Stops listening and closes every connection. Clients keep working: they need the sidecar for nothing. */
    @Override
    public void close() {
        List<AttachConversation> all;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            all = new ArrayList<>(handshakes);
            attached.values().forEach(one -> all.add(one.conversation()));
        }
        listener.close();
        all.forEach(conversation -> conversation.abort("the sidecar stops"));
        try {
            acceptor.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        claims.close();
        var readOnly = readOnlyBuffers;
        if (readOnly != null) {
            readOnly.close();
        }
    }
}
