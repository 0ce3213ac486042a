package io.numabufferpool.linux;

/** An open file descriptor with its name for messages. Closing twice does nothing the second time. */
public interface LinuxFile extends AutoCloseable {
    /** The descriptor, for passing to another process; it stays this object's. */
    int descriptor();

    /** What it was opened as, for messages only. */
    String name();

    @Override
    void close();
}
