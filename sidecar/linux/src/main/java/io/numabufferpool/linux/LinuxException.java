package io.numabufferpool.linux;

/** A system call that had to succeed did not. The message has the call, its arguments, and the kernel's answer. */
public final class LinuxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    public LinuxException(String attempted, int errnoNumber) {
        super(attempted + " failed: " + name(errnoNumber));
        this.errno = Errno.of(errnoNumber);
    }

    private static String name(int errnoNumber) {
        var errno = Errno.of(errnoNumber);
        return errno == Errno.OTHER ? "errno " + errnoNumber : errno.name();
    }

    public Errno errno() {
        return errno;
    }
}
