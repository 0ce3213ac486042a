package io.numabufferpool.linux;

/**
 * The answers of the kernel that this project handles or names (include/uapi/asm-generic/errno-base.h, errno.h): the
 * numbers are the same on x86-64 and arm64.
 */
public enum Errno {
    OK(0),
    EPERM(1),
    ENOENT(2),
    ESRCH(3),
    EINTR(4),
    EIO(5),
    ENXIO(6),
    EBADF(9),
    EAGAIN(11),
    ENOMEM(12),
    EACCES(13),
    EFAULT(14),
    EBUSY(16),
    EEXIST(17),
    ENODEV(19),
    ENOTDIR(20),
    EISDIR(21),
    EINVAL(22),
    ENFILE(23),
    EMFILE(24),
    ETXTBSY(26),
    EFBIG(27),
    ENOSPC(28),
    ESPIPE(29),
    EROFS(30),
    EPIPE(32),
    ENAMETOOLONG(36),
    ENOSYS(38),
    ELOOP(40),
    EPROTO(71),
    EOVERFLOW(75),
    EOPNOTSUPP(95),
    EADDRINUSE(98),
    ECONNABORTED(103),
    ECONNRESET(104),
    ENOTCONN(107),
    ETIMEDOUT(110),
    ECONNREFUSED(111),
    EDQUOT(122),
    /** Any other; the number is in the message of the exception. */
    OTHER(-1);

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    public static Errno of(int number) {
        for (var errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return OTHER;
    }

    public boolean ok() {
        return this == OK;
    }
}
