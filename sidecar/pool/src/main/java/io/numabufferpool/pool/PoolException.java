package io.numabufferpool.pool;

/** What can go wrong in a pool without a bug: the message says with which values and what to change. */
public abstract sealed class PoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private PoolException(String message) {
        super(message);
    }

    /** The files are not a segment that this program can use. */
    public static final class SegmentMismatch extends PoolException {
        private static final long serialVersionUID = 1L;

        SegmentMismatch(String message) {
            super(message);
        }
    }

    /** A number in shared memory cannot be true: something wrote over the segment. */
    public static final class CorruptSegment extends PoolException {
        private static final long serialVersionUID = 1L;

        CorruptSegment(String message) {
            super(message);
        }
    }

    /** The client number still has slots of a process that died and was not reaped yet: take another number. */
    public static final class ClientNumberInUse extends PoolException {
        private static final long serialVersionUID = 1L;

        ClientNumberInUse(String message) {
            super(message);
        }
    }

    /** All slots are leased; the message names the holders. */
    public static final class NoFreeSlot extends PoolException {
        private static final long serialVersionUID = 1L;

        NoFreeSlot(String message) {
            super(message);
        }
    }

    /** No buffer could be evicted: all are pinned, loading or dirty. */
    public static final class NoVictim extends PoolException {
        private static final long serialVersionUID = 1L;

        NoVictim(String message) {
            super(message);
        }
    }

    /** Another process holds a load or a lock for too long; the message names it. */
    public static final class Stuck extends PoolException {
        private static final long serialVersionUID = 1L;

        Stuck(String message) {
            super(message);
        }
    }

    /** The neighbourhood of one bucket of the lookup table is full. */
    public static final class LookupTableFull extends PoolException {
        private static final long serialVersionUID = 1L;

        LookupTableFull(String message) {
            super(message);
        }
    }

    /** The process that was writing the page died inside the write. */
    public static final class Torn extends PoolException {
        private static final long serialVersionUID = 1L;

        Torn(String message) {
            super(message);
        }
    }

    static Torn torn(int space, long block) {
        return new Torn("block " + block + " of space " + Integer.toUnsignedString(space)
                + " was being written by a process that died inside the write: its content is not whole."
                + " Recover the file and open it again");
    }

    /** A client died and may have left the space half changed: nobody reads it until somebody has recovered it. */
    public static final class PeerDied extends PoolException {
        private static final long serialVersionUID = 1L;

        PeerDied(String message) {
            super(message);
        }
    }

    /** The space cannot be opened so, because of who has it open already. */
    public static final class SpaceInUse extends PoolException {
        private static final long serialVersionUID = 1L;

        SpaceInUse(String message) {
            super(message);
        }
    }
}
