package io.numabufferpool.linux;

/** A listening Unix socket. */
public interface UnixListener extends AutoCloseable {
    /** accept(2); every read and write of the connection times out after {@code timeoutMillis}. Throws when closed. */
    UnixConnection accept(int timeoutMillis);

    /** Ends a waiting accept and removes the socket file. */
    @Override
    void close();
}
