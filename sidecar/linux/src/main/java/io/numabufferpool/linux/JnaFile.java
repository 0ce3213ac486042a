package io.numabufferpool.linux;

import java.util.function.IntUnaryOperator;

/** A descriptor of this process. close(2) happens when the owner has closed it and no call uses it any more. */
final class JnaFile implements LinuxFile {
    private final int descriptor;
    private final String name;
    private final CountedUse use;

    JnaFile(int descriptor, String name) {
        this.descriptor = descriptor;
        this.name = name;
        // Not retried on EINTR: Linux has freed the number by then (close(2), "Dealing with error returns").
        this.use = new CountedUse(() -> LibC.close(descriptor));
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void close() {
        use.end();
    }

    @Override
    public String toString() {
        return name;
    }

    /** The result of a call with this descriptor, 0 or more, else minus errno; -EBADF when the file is closed. */
    int call(IntUnaryOperator systemCall) {
        return (int) callLong(systemCall::applyAsInt);
    }

    /** As {@link #call}, for calls that return a number of bytes. */
    long callLong(LongCall systemCall) {
        if (!use.tryEnter()) {
            return -Errno.EBADF.number();
        }
        try {
            long result = systemCall.with(descriptor);
            return result < 0 ? -LibC.errno() : result;
        } finally {
            use.leave();
        }
    }

    /** Keeps the descriptor from being closed until {@link #leave()}: for a call that takes several. */
    boolean tryEnter() {
        return use.tryEnter();
    }

    void leave() {
        use.leave();
    }

    /** A system call on a descriptor: -1 and errno, or its result. */
    @FunctionalInterface
    interface LongCall {
        long with(int descriptor);
    }
}
