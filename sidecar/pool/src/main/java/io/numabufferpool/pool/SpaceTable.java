package io.numabufferpool.pool;

import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.SpaceTableLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * From a file's identity to its space number. Thread-safe; a lock word in the header, held by client number, keeps
 * processes apart. Space numbers are never used twice, so an entry can be recycled while its pages are in the pool: they
 * are found by nobody but those who know the old number, and age out.
 */
final class SpaceTable {
    private static final long PARK_NANOS = 100_000;

    private final Segment segment;
    private final MemorySegment control;
    private final int clientNumber;

    SpaceTable(Segment segment, int clientNumber) {
        this.segment = segment;
        this.control = segment.control;
        this.clientNumber = clientNumber;
    }

    /** The number of the space with that identity, made if need be. */
    synchronized int register(SpaceIdentity identity, long waitNanos) {
        lock(waitNanos);
        try {
            if (CrashPoint.ARMED) {
                CrashPoint.SPACE_LOCKED.reached();
            }
            long sequence = (long) ControlHeaderLayout.REGISTRATIONS.get(control, 0L) + 1;
            ControlHeaderLayout.REGISTRATIONS.set(control, 0L, sequence);
            long oldest = offset(0);
            for (int i = 0; i < segment.spaceCount; i++) {
                long at = offset(i);
                if (space(at) != 0 && identity.equals(read(at))) {
                    SpaceTableLayout.REGISTERED_SEQUENCE.set(control, at, sequence);
                    return space(at);
                }
                if (age(at) < age(oldest)) {
                    oldest = at;
                }
            }
            return write(oldest, identity, sequence);
        } finally {
            ControlHeaderLayout.SPACE_LOCK.setRelease(control, 0L, 0);
        }
    }

    /** Empty entries are older than all others. */
    private long age(long at) {
        return space(at) == 0 ? -1 : (long) SpaceTableLayout.REGISTERED_SEQUENCE.get(control, at);
    }

    private int write(long at, SpaceIdentity identity, long sequence) {
        int space = (int) ControlHeaderLayout.NEXT_SPACE.get(control, 0L) + 1;
        if (space == 0) {
            throw new IllegalStateException(
                    "all 4294967295 space numbers of this segment are used up; restart the pod");
        }
        // Number 0 first, number last: who dies in between leaves an empty entry and perhaps an unused number.
        SpaceTableLayout.SPACE.setRelease(control, at, 0);
        if (CrashPoint.ARMED) {
            CrashPoint.SPACE_EMPTIED.reached();
        }
        ControlHeaderLayout.NEXT_SPACE.setRelease(control, 0L, space);
        if (CrashPoint.ARMED) {
            CrashPoint.SPACE_NUMBERED.reached();
        }
        SpaceTableLayout.BLOCK_BYTES.set(control, at, segment.bufferBytes);
        SpaceTableLayout.DEVICE.set(control, at, identity.device());
        SpaceTableLayout.INODE.set(control, at, identity.inode());
        SpaceTableLayout.INODE_GENERATION.set(control, at, identity.inodeGeneration());
        SpaceTableLayout.FILE_BYTES.set(control, at, identity.fileBytes());
        SpaceTableLayout.MODIFIED_NANOS.set(control, at, identity.modifiedNanos());
        SpaceTableLayout.CHANGED_NANOS.set(control, at, identity.changedNanos());
        SpaceTableLayout.REGISTERED_SEQUENCE.set(control, at, sequence);
        SpaceTableLayout.SPACE.setRelease(control, at, space);
        if (CrashPoint.ARMED) {
            CrashPoint.SPACE_WRITTEN.reached();
        }
        return space;
    }

    private SpaceIdentity read(long at) {
        return new SpaceIdentity(
                (long) SpaceTableLayout.DEVICE.get(control, at),
                (long) SpaceTableLayout.INODE.get(control, at),
                (long) SpaceTableLayout.INODE_GENERATION.get(control, at),
                (long) SpaceTableLayout.FILE_BYTES.get(control, at),
                (long) SpaceTableLayout.MODIFIED_NANOS.get(control, at),
                (long) SpaceTableLayout.CHANGED_NANOS.get(control, at));
    }

    /** Entries in use. */
    int count() {
        int count = 0;
        for (int i = 0; i < segment.spaceCount; i++) {
            count += space(offset(i)) != 0 ? 1 : 0;
        }
        return count;
    }

    private int space(long at) {
        return (int) SpaceTableLayout.SPACE.getAcquire(control, at);
    }

    private long offset(int index) {
        return segment.spacesOffset + index * SpaceTableLayout.BYTES;
    }

    private void lock(long waitNanos) {
        long deadline = System.nanoTime() + waitNanos;
        while (!ControlHeaderLayout.SPACE_LOCK.compareAndSet(control, 0L, 0, clientNumber)) {
            if (System.nanoTime() - deadline > 0) {
                throw new PoolException.Stuck("the space table has been locked by client "
                        + (int) ControlHeaderLayout.SPACE_LOCK.getAcquire(control, 0L) + " for "
                        + waitNanos / 1_000_000 + " ms; continue that process if it is stopped, or end it: the sidecar"
                        + " frees what it held");
            }
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /** Frees the lock if that client holds it. For the reaper. */
    boolean breakLock(int client) {
        return ControlHeaderLayout.SPACE_LOCK.compareAndSet(control, 0L, client, 0);
    }
}
