package io.numabufferpool.pool;

import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.SpaceTableLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * From a file's identity to its space number. Thread-safe; a lock word in the header, held by client number, keeps
 * processes apart. Space numbers are never used twice, so an entry can be recycled while its pages are in the pool: they
 * are found by nobody but those who know the old number, and age out.
 */
final class SpaceTable {
    private static final long PARK_NANOS = 100_000;

    private final Segment segment;
    private final MemorySegment control;
    private final SpacePages pages;
    private final int clientNumber;

    SpaceTable(Segment segment, SpacePages pages, int clientNumber) {
        this.segment = segment;
        this.control = segment.control;
        this.pages = pages;
        this.clientNumber = clientNumber;
    }

    /** The number of the space with that identity, made if need be. */
    synchronized int register(SpaceIdentity identity, long waitNanos) {
        lock(waitNanos);
        try {
            if (CrashPoint.ARMED) {
                CrashPoint.SPACE_LOCKED.reached();
            }
            long sequence = nextSequence();
            for (int i = 0; i < segment.spaceCount; i++) {
                long at = offset(i);
                if (space(at) != 0 && !isWritable(at) && identity.equals(read(at))) {
                    SpaceTableLayout.REGISTERED_SEQUENCE.set(control, at, sequence);
                    return space(at);
                }
            }
            return write(oldest(), identity, sequence, SpaceTableLayout.ACCESS_READ_ONLY);
        } finally {
            unlock();
        }
    }

    private long nextSequence() {
        long sequence = (long) ControlHeaderLayout.REGISTRATIONS.get(control, 0L) + 1;
        ControlHeaderLayout.REGISTRATIONS.set(control, 0L, sequence);
        return sequence;
    }

    /** The entry that is recycled next; never one of a space that somebody may have open for writing. */
    private long oldest() {
        long oldest = -1;
        for (int i = 0; i < segment.spaceCount; i++) {
            long at = offset(i);
            if (!(isWritable(at) && isOpen(at)) && (oldest < 0 || age(at) < age(oldest))) {
                oldest = at;
            }
        }
        if (oldest < 0) {
            throw new PoolException.SpaceInUse("all " + segment.spaceCount
                    + " entries of the space table are files that are open for" + " writing: close some of them");
        }
        return oldest;
    }

    /** Empty entries are older than all others. */
    private long age(long at) {
        return space(at) == 0 ? -1 : (long) SpaceTableLayout.REGISTERED_SEQUENCE.get(control, at);
    }

    private boolean isWritable(long at) {
        return space(at) != 0 && (int) SpaceTableLayout.ACCESS.get(control, at) == SpaceTableLayout.ACCESS_READ_WRITE;
    }

    private boolean isOpen(long at) {
        return (int) SpaceTableLayout.OPEN.getAcquire(control, at) != 0;
    }

    /**
     * Opens a space for writing: the one that others have open, or whose pages are still its file's content, or whose last users
     * died; else a new one.
     */
    synchronized WritableSpace openWritable(SpaceFile file, Durability durability, long waitNanos) {
        lock(waitNanos);
        try {
            long sequence = nextSequence();
            boolean alone = file.tryLockAlone();
            var identity = file.identity();
            long at = alone ? openAlone(identity, sequence) : openWithOthers(file, identity, durability);
            SpaceTableLayout.REGISTERED_SEQUENCE.set(control, at, sequence);
            SpaceTableLayout.DURABILITY.set(control, at, durability.code);
            SpaceTableLayout.OPEN.setRelease(control, at, 1);
            if (CrashPoint.ARMED) {
                CrashPoint.SPACE_OPENED.reached();
            }
            if (alone && !file.tryLockShared()) {
                throw new IllegalStateException("the lock of " + identity + " was held alone and could not be shared");
            }
            return new WritableSpace(control, this, space(at), at, clientNumber, durability);
        } finally {
            unlock();
        }
    }

    /** Nobody has the file open for writing, through this pool or another. */
    private long openAlone(SpaceIdentity identity, long sequence) {
        long at = findWritable(identity);
        boolean sameContent = at >= 0 && identity.equals(read(at));
        if (at >= 0 && isOpen(at)) {
            if (isHalfChanged(at)) {
                // Whoever changed its pages is gone, also where no reaper saw it.
                pages.orphanAll(space(at));
                var _ = (long) SpaceTableLayout.CRASH_EPOCH.getAndAdd(control, at, 1L);
                return at;
            }
        }
        if (sameContent) {
            return at;
        }
        write(at >= 0 ? at : oldest(), identity, sequence, SpaceTableLayout.ACCESS_READ_WRITE);
        return findWritable(identity);
    }

    /** Whether its last users died with changes that its file does not have, or after such a death. */
    private boolean isHalfChanged(long at) {
        return (long) SpaceTableLayout.CRASH_EPOCH.getVolatile(control, at)
                        != (long) SpaceTableLayout.RECOVERED_EPOCH.getVolatile(control, at)
                || hasUnwritten(space(at));
    }

    private boolean hasUnwritten(int space) {
        return !pages.find(space, 1, (word, at) -> SpacePages.isUnwritten(word)).isEmpty();
    }

    private long openWithOthers(SpaceFile file, SpaceIdentity identity, Durability durability) {
        if (!file.tryLockShared()) {
            throw new PoolException.SpaceInUse("another program holds a lock on byte 2^62 of the file " + identity
                    + " for itself: pools keep each other away by it; end that program");
        }
        long at = findWritable(identity);
        if (at < 0 || !isOpen(at)) {
            file.unlock();
            throw new PoolException.SpaceInUse(
                    "the file " + identity + " is open for writing through another pool, so this one"
                            + " could not keep up with its changes: open it read-only, or close it there");
        }
        int inForce = (int) SpaceTableLayout.DURABILITY.get(control, at);
        if (inForce != durability.code) {
            file.unlock();
            throw new PoolException.SpaceInUse(
                    "the file " + identity + " is open for writing with another durability than " + durability
                            + ": open it everywhere in the same way");
        }
        return at;
    }

    private long findWritable(SpaceIdentity identity) {
        for (int i = 0; i < segment.spaceCount; i++) {
            long at = offset(i);
            if (isWritable(at) && identity.isSameFile(read(at))) {
                return at;
            }
        }
        return -1;
    }

    /** Runs something that only one process may do at a time with the files of spaces, like changing a length. */
    synchronized void whileLocked(long waitNanos, Runnable action) {
        lock(waitNanos);
        try {
            action.run();
        } finally {
            unlock();
        }
    }

    /** Ends this process's use of the space; the last one's, if nothing is left to write, leaves the pages good for the next. */
    synchronized void closeWritable(WritableSpace space, SpaceFile file, long waitNanos) {
        lock(waitNanos);
        try {
            long at = space.at();
            if (file.tryLockAlone() && !isHalfChanged(at)) {
                var identity = file.identity();
                SpaceTableLayout.FILE_BYTES.set(control, at, identity.fileBytes());
                SpaceTableLayout.MODIFIED_NANOS.set(control, at, identity.modifiedNanos());
                SpaceTableLayout.CHANGED_NANOS.set(control, at, identity.changedNanos());
                SpaceTableLayout.OPEN.setRelease(control, at, 0);
                if (CrashPoint.ARMED) {
                    CrashPoint.SPACE_CLOSED.reached();
                }
            }
            file.unlock();
        } finally {
            unlock();
        }
    }

    /** The reaper's part: these clients are dead, and left pages of that space half changed. */
    void crashed(int space) {
        forWritable(space, at -> {
            var _ = (long) SpaceTableLayout.CRASH_EPOCH.getAndAdd(control, at, 1L);
        });
    }

    /** ... left pages of that space whose changes are in the log. */
    void orphaned(int space) {
        forWritable(space, at -> {
            var _ = (int) SpaceTableLayout.ORPHANS.getAndAdd(control, at, 1);
        });
    }

    /** Up to where the log of that space is durable; -1: it has none. */
    long loggedPosition(int space) {
        var position = new long[] {-1};
        forWritable(space, at -> {
            if ((int) SpaceTableLayout.DURABILITY.getAcquire(control, at) == SpaceTableLayout.WRITE_BACK) {
                position[0] = (long) SpaceTableLayout.LOGGED_POSITION.getVolatile(control, at);
            }
        });
        return position[0];
    }

    /** Without the lock, which a dead client may hold: entries of open spaces stay where they are. */
    private void forWritable(int space, LongConsumer consumer) {
        for (int i = 0; i < segment.spaceCount; i++) {
            long at = offset(i);
            if (space(at) == space && isWritable(at)) {
                consumer.accept(at);
            }
        }
    }

    /** Whether any space was ever opened for writing and not closed: else no page can be dirty. */
    boolean anyWritableOpen() {
        for (int i = 0; i < segment.spaceCount; i++) {
            if (isWritable(offset(i)) && isOpen(offset(i))) {
                return true;
            }
        }
        return false;
    }

    private int write(long at, SpaceIdentity identity, long sequence, int access) {
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
        SpaceTableLayout.ACCESS.set(control, at, access);
        SpaceTableLayout.DURABILITY.set(control, at, 0);
        SpaceTableLayout.CRASH_EPOCH.set(control, at, 0L);
        SpaceTableLayout.RECOVERED_EPOCH.set(control, at, 0L);
        SpaceTableLayout.LOGGED_POSITION.set(control, at, 0L);
        SpaceTableLayout.OPEN.set(control, at, 0);
        SpaceTableLayout.RECOVERER.set(control, at, 0);
        SpaceTableLayout.ORPHANS.set(control, at, 0);
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

    private void unlock() {
        ControlHeaderLayout.SPACE_LOCK.setRelease(control, 0L, 0);
    }

    /** Frees what that client holds of the table's lock and of recoveries. For the reaper. */
    void breakLocks(int client) {
        ControlHeaderLayout.SPACE_LOCK.compareAndSet(control, 0L, client, 0);
        for (int i = 0; i < segment.spaceCount; i++) {
            SpaceTableLayout.RECOVERER.compareAndSet(control, offset(i), client, 0);
        }
    }
}
