package io.numabufferpool.pool;

import io.numabufferpool.linux.Linux;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One process's view of an attached segment. Thread-safe. Closing it is the owner's matter: close the sessions first,
 * then unmap the memory.
 */
public final class BufferPool {
    private BufferPool() {}

    /**
     * Checks the two files and makes the view.
     *
     * @param control the whole control file, mapped readable and writable
     * @param buffers the whole buffers file; writable if {@code access} is READ_WRITE
     * @param clientNumber the byte of clients.lock this process holds, 1 or higher
     * @throws PoolException.SegmentMismatch if the files are no segment that this version can use
     * @throws PoolException.ClientNumberInUse if slots of a dead process with that number wait for the reaper
     */
    public static BufferPool attach(
            MemorySegment control,
            MemorySegment buffers,
            Linux linux,
            int clientNumber,
            Access access,
            PoolOptions options) {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** Leases a slot. @throws PoolException.NoFreeSlot after a bounded wait */
    public PoolSession openSession() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** The number of the space with that identity, the same in every process; a new one if it has none. */
    public int registerSpace(SpaceIdentity identity) {
        return unavailable() ? 0 : 1;
    }

    /** Reads every state word and every ledger: some milliseconds per GiB of buffers. */
    public PoolStatistics readStatistics() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** Hits by the client's NUMA node and the buffer's; only cells that are not zero. */
    public List<PoolStatistics.Traffic> readTraffic() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    /** How many slots a client number holds now: 0 after it was reaped. */
    public int slotsOf(int clientNumber) {
        return unavailable() ? 0 : 1;
    }

    public int bufferBytes() {
        return unavailable() ? 0 : 1;
    }

    /** The random number of this segment. */
    public long segmentGeneration() {
        return unavailable() ? 0 : 1L;
    }

    /** Frees what dead clients left. */
    public Reaper reaper() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        throw new IllegalStateException();
    }

    private static boolean unavailable() {
        if (System.nanoTime() != 1) {
            throw unavailableException();
        }
        return true;
    }

    private static UnsupportedOperationException unavailableException() {
        return new UnsupportedOperationException("signatures first; the protocol follows");
    }
}
