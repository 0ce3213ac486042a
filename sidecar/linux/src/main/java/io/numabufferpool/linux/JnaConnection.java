package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A connected socket. The time limit is for a whole message, however slowly its bytes trickle in. */
final class JnaConnection implements UnixConnection {
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int SO_PEERCRED = 17;
    /** struct ucred: int pid, int uid, int gid. */
    private static final int UCRED_BYTES = 12;

    private final JnaFile socket;
    private final String peerName;
    private final int timeoutMillis;

    JnaConnection(JnaFile socket, String peerName, int timeoutMillis) {
        this.socket = socket;
        this.peerName = peerName;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public void send(byte[] bytes, List<LinuxFile> files) {
        if (bytes.length == 0) {
            throw new IllegalArgumentException("send needs at least one byte: descriptors travel with it");
        }
        var entered = new ArrayList<JnaFile>();
        try {
            for (var file : files) {
                if (!(file instanceof JnaFile own) || !own.tryEnter()) {
                    throw new LinuxException("send of the descriptor of " + file.name(), Errno.EBADF.number());
                }
                entered.add(own);
            }
            sendAll(bytes, files);
        } finally {
            entered.forEach(JnaFile::leave);
        }
    }

    private void sendAll(byte[] bytes, List<LinuxFile> files) {
        try (var scratch = new NativeScratch()) {
            var data = scratch.bytes(bytes, 0);
            var message = SocketMessage.sending(scratch, files);
            long deadline = deadline();
            for (int sent = 0; sent < bytes.length; ) {
                message.setData(data.asSlice(sent));
                long result = socket.callLong(s -> LibC.sendmsg(s, message.address(), MSG_DONTWAIT | MSG_NOSIGNAL));
                if (result < 0) {
                    awaitUnlessFailed(result, SocketCalls.POLLOUT, deadline, "send", sent, bytes.length);
                    continue;
                }
                sent += (int) result;
                message.clearControl(); // the descriptors went with the first byte
            }
        }
    }

    @Override
    public Received receive(int bytes, int fileMax) {
        var files = new ArrayList<LinuxFile>();
        try (var scratch = new NativeScratch()) {
            var data = scratch.allocate(Math.max(1, bytes));
            int received = receive(data, bytes, fileMax, SocketMessage.receiving(scratch), files);
            return new Received(data.asSlice(0, received).toArray(JAVA_BYTE), List.copyOf(files));
        } catch (LinuxException e) {
            files.forEach(LinuxFile::close);
            throw e;
        }
    }

    private int receive(MemorySegment data, int bytes, int fileMax, SocketMessage message, List<LinuxFile> files) {
        long deadline = deadline();
        int flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC;
        for (int received = 0; received < bytes; ) {
            message.setData(data.asSlice(received, bytes - received));
            message.resetControl();
            long result = socket.callLong(s -> LibC.recvmsg(s, message.address(), flags));
            if (result < 0) {
                awaitUnlessFailed(result, SocketCalls.POLLIN, deadline, "receive", received, bytes);
                continue;
            }
            boolean truncated = message.takeDescriptors(peerName, files);
            if (truncated || files.size() > fileMax) {
                throw new LinuxException(
                        "receive of at most " + fileMax + " descriptors from " + peerName + ", which sent more,",
                        Errno.EPROTO.number());
            }
            if (result == 0) {
                return received;
            }
            received += (int) result;
        }
        return bytes;
    }

    private void awaitUnlessFailed(long result, short event, long deadline, String verb, int done, int bytes) {
        if (result == -Errno.EINTR.number()) {
            return;
        }
        if (result != -Errno.EAGAIN.number()) {
            throw failed(verb, done, bytes, (int) -result);
        }
        if (!SocketCalls.await(socket, event, deadline)) {
            throw failed(verb, done, bytes, Errno.ETIMEDOUT.number());
        }
    }

    private LinuxException failed(String verb, int done, int bytes, int errno) {
        return new LinuxException(
                verb + " of " + bytes + " bytes (" + done + " done, limit " + timeoutMillis + " ms), " + peerName + ",",
                errno);
    }

    private long deadline() {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    @Override
    public PeerCredentials peer() {
        try (var scratch = new NativeScratch()) {
            var ucred = scratch.allocate(UCRED_BYTES);
            var bytes = scratch.allocate(Integer.BYTES);
            bytes.set(JAVA_INT, 0, UCRED_BYTES);
            int result = socket.call(
                    s -> LibC.getsockopt(s, SocketCalls.SOL_SOCKET, SO_PEERCRED, ucred.address(), bytes.address()));
            if (result < 0) {
                throw new LinuxException("getsockopt SO_PEERCRED of " + peerName, -result);
            }
            return new PeerCredentials(ucred.get(JAVA_INT, 0), ucred.get(JAVA_INT, 4), ucred.get(JAVA_INT, 8));
        }
    }

    @Override
    public void close() {
        SocketCalls.shutDown(socket);
        socket.close();
    }
}
