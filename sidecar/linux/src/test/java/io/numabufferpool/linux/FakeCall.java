package io.numabufferpool.linux;

/** What can be made to fail in a {@link FakeLinux}. */
public enum FakeCall {
    OPEN,
    SET_LENGTH,
    PUNCH_HOLE,
    READ,
    WRITE,
    MAP,
    REMOVE,
    WIPEONFORK,
    POPULATE_READ,
    POPULATE_WRITE,
    COLLAPSE,
    BIND_MEMORY,
    SET_TASK_POLICY,
    /** Any errno: {@link Linux#taskPolicy()} is empty. */
    TASK_POLICY,
    SET_AFFINITY,
    LOCK,
    LISTEN,
    CONNECT;

    static FakeCall of(Advice advice) {
        return valueOf(advice.name());
    }
}
