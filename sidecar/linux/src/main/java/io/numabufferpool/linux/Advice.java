package io.numabufferpool.linux;

/** madvise(2) advice with its number, the same on x86-64 and arm64 (include/uapi/asm-generic/mman-common.h). */
public enum Advice {
    /** Since 2.6.16; frees the pages and the file's blocks under them. */
    REMOVE(9),
    /** Since 4.14, private anonymous memory only: zeroed in a forked child. */
    WIPEONFORK(18),
    /** Since 5.14. */
    POPULATE_READ(22),
    /** Since 5.14. EFAULT where a touch would be SIGBUS. */
    POPULATE_WRITE(23),
    /** Since 6.1: makes real 2 MiB pages now, whatever the THP settings say. */
    COLLAPSE(25);

    private final int number;

    Advice(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
