package io.numabufferpool.server.attach;

import io.numabufferpool.pool.Reaper;
import java.util.Set;

/** What the reaper needs of the pool: who holds slots, and how to clear what the dead left. */
public interface SlotHolders {
    /** Numbers of the clients that hold at least one slot now. */
    Set<Integer> clientNumbers();

    /**
     * Clears everything that these dead clients left, their slots last. The caller holds their lock bytes, so nobody can claim a
     * number meanwhile. May be called again after it failed or was cut short.
     */
    Reaper.Reaped reap(Set<Integer> clientNumbers);

    /** Those of a pool. */
    static SlotHolders of(Reaper reaper) {
        return new SlotHolders() {
            @Override
            public Set<Integer> clientNumbers() {
                return reaper.clientNumbers();
            }

            @Override
            public Reaper.Reaped reap(Set<Integer> clientNumbers) {
                return reaper.reap(clientNumbers);
            }
        };
    }
}
