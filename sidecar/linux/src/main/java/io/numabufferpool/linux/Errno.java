package io.numabufferpool.linux;

/** The answers of the kernel that this project handles by name (include/uapi/asm-generic/errno-base.h, errno.h). */
public enum Errno {
    OK(0),
    EPERM(1),
    ENOENT(2),
    EINTR(4),
    EIO(5),
    EBADF(9),
    EAGAIN(11),
    ENOMEM(12),
    EACCES(13),
    EFAULT(14),
    EBUSY(16),
    EEXIST(17),
    EINVAL(22),
    ENOSPC(28),
    ENOSYS(38),
    EOPNOTSUPP(95),
    ECONNREFUSED(111),
    ETIMEDOUT(110),
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
