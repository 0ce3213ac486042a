package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachAnswer;
import io.numabufferpool.client.attach.AttachAnswer.Status;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest;
import io.numabufferpool.client.attach.ClientClaim;
import io.numabufferpool.client.attach.MalformedMessage;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.UnixConnection;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.List;

/**
 * One connection from its accept to its end, on a thread of its own. Whatever the peer does ends at most this connection.
 *
 * <p>The connection's time limit is for a whole message, however slowly its bytes trickle in ({@link UnixConnection}).
 */
final class AttachConversation implements Runnable {
    private static final System.Logger LOG = System.getLogger(AttachConversation.class.getName());

    /** Names are for tables and logs; more than this is cut. */
    private static final int NAME_LENGTH_MAX = 64;

    private final AttachServer server;
    private final UnixConnection connection;
    private final UnixConnection.PeerCredentials peer;
    private final Clock clock;
    private volatile boolean aborted;

    AttachConversation(
            AttachServer server, UnixConnection connection, UnixConnection.PeerCredentials peer, Clock clock) {
        this.server = server;
        this.connection = connection;
        this.peer = peer;
        this.clock = clock;
    }

    @Override
    public void run() {
        try {
            converse();
        } catch (MalformedMessage e) {
            server.logRefusal(peer, e.sentence());
            tryAnswer(AttachAnswer.sentence(Status.REFUSED, e.sentence()));
        } catch (PeerLeft e) {
            LOG.log(Level.DEBUG, "peer left between two messages uid={0}", peer.uid());
        } catch (LinuxException e) {
            LOG.log(Level.DEBUG, "attach connection ended early uid={0} reason={1}", peer.uid(), e.getMessage());
        } finally {
            connection.close();
            server.ended(this);
        }
    }

    /** The peer closed its side where a message could have begun: its right at any time. */
    private static final class PeerLeft extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private void converse() throws MalformedMessage, PeerLeft {
        var header = AttachRequest.decodeHeader(receive(AttachProtocol.HEADER_BYTES));
        var request = AttachRequest.decode(header, receive(header.bodyBytes()));
        switch (request.kind()) {
            case STATUS ->
                answer(
                        request.properties().containsKey(AttachRequest.KEY_VERIFY)
                                ? server.verificationAnswer()
                                : server.statusAnswer(),
                        List.of());
            case ATTACH -> attach(request);
        }
    }

    private void attach(AttachRequest request) throws MalformedMessage, PeerLeft {
        var cpus = cpus(request);
        var mems = mems(request);
        var segment = server.segment();
        var refusal = server.refusal(request, segment);
        if (refusal.isPresent() || segment.isEmpty()) {
            answer(refusal.orElseThrow(), List.of());
            return;
        }
        var served = segment.get();
        answer(granted(served), List.of(served.control(), server.buffersFor(served)));

        var claim = ClientClaim.decode(receive(ClientClaim.BYTES));
        var client = new AttachedClient(
                claim.clientNumber(), peer.uid(), peer.pid(), name(request), cpus, mems, clock.instant());
        var objection = server.register(this, client);
        if (objection.isPresent()) {
            answer(objection.get(), List.of());
            return;
        }
        answer(granted(served), List.of());
        watch(client);
    }

    private static AttachAnswer granted(ServedSegment served) {
        var advice =
                served.advisedCpus().isEmpty() ? "" : AttachAnswer.KEY_BIND_CPUS + "=" + served.advisedCpus() + "\n";
        return new AttachAnswer(
                Status.OK, served.access(), served.generation(), served.controlBytes(), served.buffersBytes(), advice);
    }

    private static CpuSet cpus(AttachRequest request) throws MalformedMessage {
        try {
            return CpuSet.parse(request.properties().getOrDefault(AttachRequest.KEY_CPUS, ""));
        } catch (IllegalArgumentException e) {
            throw new MalformedMessage("The request's " + AttachRequest.KEY_CPUS + ": " + e.getMessage(), e);
        }
    }

    private static NumaNodeSet mems(AttachRequest request) throws MalformedMessage {
        try {
            return NumaNodeSet.parse(request.properties().getOrDefault(AttachRequest.KEY_MEMS, ""));
        } catch (IllegalArgumentException e) {
            throw new MalformedMessage("The request's " + AttachRequest.KEY_MEMS + ": " + e.getMessage(), e);
        }
    }

    private static String name(AttachRequest request) {
        var name = request.properties().getOrDefault(AttachRequest.KEY_NAME, "unnamed");
        return name.length() <= NAME_LENGTH_MAX ? name : name.substring(0, NAME_LENGTH_MAX);
    }

    /** Until the end of the stream. A peer that talks although nothing is left to say is dropped; its lock byte still counts. */
    private void watch(AttachedClient client) {
        while (!aborted) {
            try {
                if (connection.receive(1, 0).bytes().length > 0) {
                    LOG.log(Level.WARNING, "attach connection dropped: unexpected bytes client={0}", client);
                }
                return;
            } catch (LinuxException e) {
                // Silence is the rule here: the socket's read timeout only ends one wait.
                if (e.errno() != Errno.EAGAIN && e.errno() != Errno.ETIMEDOUT) {
                    throw e;
                }
            }
        }
    }

    private byte[] receive(int bytes) throws PeerLeft {
        if (bytes == 0) {
            return new byte[0];
        }
        var received = connection.receive(bytes, 0);
        received.files().forEach(LinuxFile::close);
        if (received.bytes().length == 0) {
            throw new PeerLeft();
        }
        return received.bytes();
    }

    private void answer(AttachAnswer answer, List<LinuxFile> files) {
        connection.send(answer.encode(), files);
    }

    private void tryAnswer(AttachAnswer answer) {
        try {
            answer(answer, List.of());
        } catch (LinuxException e) {
            LOG.log(Level.DEBUG, "refusal not delivered uid={0} reason={1}", peer.uid(), e.getMessage());
        }
    }

    /** Ends this conversation from another thread. */
    void abort(String why) {
        aborted = true;
        LOG.log(Level.DEBUG, "attach connection closed uid={0} reason={1}", peer.uid(), why);
        connection.close();
    }
}
