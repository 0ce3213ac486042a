package io.numabufferpool.linux;

import java.util.Arrays;
import java.util.Optional;

/** Memory policies with their numbers (include/uapi/linux/mempolicy.h), without the prefix MPOL_. */
public enum MemoryPolicy {
    DEFAULT(0),
    PREFERRED(1),
    BIND(2),
    INTERLEAVE(3),
    LOCAL(4),
    /** Since 5.15. */
    PREFERRED_MANY(5),
    /** Since 6.9. */
    WEIGHTED_INTERLEAVE(6);

    private final int number;

    MemoryPolicy(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The policy of that number without its mode flags, or empty for one this project does not know. */
    static Optional<MemoryPolicy> of(int number) {
        return Arrays.stream(values()).filter(policy -> policy.number == number).findFirst();
    }
}
