package io.numabufferpool.linux;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Unix sockets of a {@link FakeLinux}. Guarded by one monitor for all of them: this. */
final class FakeSockets {
    private final FakeLinux linux;
    private final Map<Path, Listener> listeners = new HashMap<>();

    FakeSockets(FakeLinux linux) {
        this.linux = linux;
    }

    synchronized UnixListener listen(Path path) {
        var listener = new Listener(path);
        listeners.put(path, listener);
        return listener;
    }

    synchronized UnixConnection connect(Path path, int timeoutMillis) {
        var listener = listeners.get(path);
        if (listener == null) {
            throw new LinuxException("connect of the Unix socket " + path, Errno.ENOENT.number());
        }
        var toServer = new Stream();
        var toClient = new Stream();
        listener.waiting.add(new Stream[] {toServer, toClient});
        notifyAll();
        return new Connection(toClient, toServer, path.toString(), timeoutMillis);
    }

    /** One direction. */
    private static final class Stream {
        private final Deque<Byte> bytes = new ArrayDeque<>();
        private final Deque<LinuxFile> files = new ArrayDeque<>();
        private boolean ended;
    }

    private final class Listener implements UnixListener {
        private final Path path;
        private final Deque<Stream[]> waiting = new ArrayDeque<>();
        private boolean closed;

        private Listener(Path path) {
            this.path = path;
        }

        @Override
        public UnixConnection accept(int timeoutMillis) {
            synchronized (FakeSockets.this) {
                try {
                    while (waiting.isEmpty() && !closed) {
                        FakeSockets.this.wait();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LinuxException("accept at " + path, Errno.EINTR.number());
                }
                if (closed) {
                    throw new LinuxException("accept at " + path, Errno.EBADF.number());
                }
                var streams = waiting.remove();
                return new Connection(streams[0], streams[1], "a client of " + path, timeoutMillis);
            }
        }

        @Override
        public void close() {
            synchronized (FakeSockets.this) {
                closed = true;
                listeners.remove(path, this);
                FakeSockets.this.notifyAll();
            }
        }
    }

    private final class Connection implements UnixConnection {
        private final Stream in;
        private final Stream out;
        private final String peerName;
        private final int timeoutMillis;

        private Connection(Stream in, Stream out, String peerName, int timeoutMillis) {
            this.in = in;
            this.out = out;
            this.peerName = peerName;
            this.timeoutMillis = timeoutMillis;
        }

        @Override
        public void send(byte[] bytes, List<LinuxFile> files) {
            for (var file : files) {
                if (!(file instanceof FakeFile fake) || !fake.isOpen()) {
                    throw new LinuxException("send of the descriptor of " + file.name(), Errno.EBADF.number());
                }
            }
            synchronized (FakeSockets.this) {
                if (out.ended) {
                    throw new LinuxException(
                            "send of " + bytes.length + " bytes, " + peerName + ",", Errno.EPIPE.number());
                }
                for (byte value : bytes) {
                    out.bytes.add(value);
                }
                files.forEach(file -> out.files.add(linux.passOn((FakeFile) file)));
                FakeSockets.this.notifyAll();
            }
        }

        @Override
        public Received receive(int bytes, int fileMax) {
            synchronized (FakeSockets.this) {
                awaitBytes(bytes);
                var received = new ByteArrayOutputStream();
                while (received.size() < bytes && !in.bytes.isEmpty()) {
                    received.write(in.bytes.remove());
                }
                var files = new ArrayList<>(in.files);
                in.files.clear();
                if (files.size() > fileMax) {
                    files.forEach(LinuxFile::close);
                    throw new LinuxException(
                            "receive of at most " + fileMax + " descriptors from " + peerName + ", which sent more,",
                            Errno.EPROTO.number());
                }
                return new Received(received.toByteArray(), List.copyOf(files));
            }
        }

        private void awaitBytes(int bytes) {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            try {
                for (long left = deadline - System.nanoTime(); in.bytes.size() < bytes && !in.ended; ) {
                    if (left <= 0) {
                        throw new LinuxException(
                                "receive of " + bytes + " bytes (" + in.bytes.size() + " done, limit " + timeoutMillis
                                        + " ms), " + peerName + ",",
                                Errno.ETIMEDOUT.number());
                    }
                    TimeUnit.NANOSECONDS.timedWait(FakeSockets.this, left);
                    left = deadline - System.nanoTime();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LinuxException("receive of " + bytes + " bytes, " + peerName + ",", Errno.EINTR.number());
            }
        }

        @Override
        public PeerCredentials peer() {
            int uid = linux.processStatus().uid();
            return new PeerCredentials(linux.processId(), uid, uid);
        }

        @Override
        public void close() {
            synchronized (FakeSockets.this) {
                in.ended = true;
                out.ended = true;
                FakeSockets.this.notifyAll();
            }
        }
    }
}
