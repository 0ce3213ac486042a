package io.numabufferpool.linux;

/**
 * Numbers of the system calls that libc has no function for, or only newer ones. Source: arch/x86/entry/syscalls/syscall_64.tbl
 * and include/uapi/asm-generic/unistd.h (arm64).
 */
enum Syscalls {
    X86_64(237, 238, 239, 202, 203, 204, 332),
    ARM64(235, 237, 236, 98, 122, 123, 291);

    private final int mbind;
    private final int setMempolicy;
    private final int getMempolicy;
    private final int futex;
    private final int schedSetaffinity;
    private final int schedGetaffinity;
    private final int statx;

    Syscalls(
            int mbind,
            int setMempolicy,
            int getMempolicy,
            int futex,
            int schedSetaffinity,
            int schedGetaffinity,
            int statx) {
        this.mbind = mbind;
        this.setMempolicy = setMempolicy;
        this.getMempolicy = getMempolicy;
        this.futex = futex;
        this.schedSetaffinity = schedSetaffinity;
        this.schedGetaffinity = schedGetaffinity;
        this.statx = statx;
    }

    /** The table for the value of the system property {@code os.arch}; the message of the exception lists what there is. */
    static Syscalls of(String osArch) {
        return switch (osArch) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> ARM64;
            default ->
                throw new UnsupportedOperationException("No system call numbers for the architecture \"" + osArch
                        + "\" (os.arch). NumaBufferPool runs on x86-64 (amd64) and arm64 (aarch64).");
        };
    }

    int mbind() {
        return mbind;
    }

    int setMempolicy() {
        return setMempolicy;
    }

    int getMempolicy() {
        return getMempolicy;
    }

    int futex() {
        return futex;
    }

    int schedSetaffinity() {
        return schedSetaffinity;
    }

    int schedGetaffinity() {
        return schedGetaffinity;
    }

    int statx() {
        return statx;
    }
}
