package io.numabufferpool.server.attach;

import java.util.stream.IntStream;

/** What the reaper needs of the pool: who holds slots, and how to clear a dead one's. */
public interface SlotHolders {
    /** Numbers of the clients that hold at least one slot now. */
    IntStream clientNumbers();

    /**
     * Clears everything that this dead client left, its slots last. The caller holds the client's lock byte, so nobody can claim the
     * number meanwhile. May be called again after it failed or was cut short.
     *
     * @return how many slots came back
     */
    int reap(int clientNumber);
}
