package io.numabufferpool.linux;

import java.util.List;

/** One connected Unix stream socket. Used by one thread at a time; close() may come from another. */
public interface UnixConnection extends AutoCloseable {
    /** sendmsg(2) of all bytes, the descriptors (SCM_RIGHTS) with the first of them. */
    void send(byte[] bytes, List<LinuxFile> files);

    /**
     * recvmsg(2) until {@code bytes} have come: fewer only at the end of the stream. Descriptors that came along are
     * the caller's to close; more than {@code fileMax} are closed at once and refused.
     */
    Received receive(int bytes, int fileMax);

    /** SO_PEERCRED. */
    PeerCredentials peer();

    @Override
    void close();

    /** What came: the bytes and the descriptors. */
    record Received(byte[] bytes, List<LinuxFile> files) {}

    /** Of the process that connected, in this process's pid namespace: pid 0 where it is in another one. */
    record PeerCredentials(int pid, int uid, int gid) {}
}
