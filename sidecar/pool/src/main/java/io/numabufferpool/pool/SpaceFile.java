package io.numabufferpool.pool;

/**
 * The file behind a space that is opened for writing, as who opens it sees it. Its lock says whether anybody else has the file open so:
 * it belongs to the open file and ends with the process, however that ends.
 */
public interface SpaceFile {
    /** Device, inode, inode generation, length and times as they are now. */
    SpaceIdentity identity();

    /** Takes the lock for this opener alone, also from {@link #tryLockShared}; false, and nothing changed, if another one holds it. */
    boolean tryLockAlone();

    /** Takes the lock together with others, also from {@link #tryLockAlone}; false if somebody holds it alone. */
    boolean tryLockShared();

    /** Gives it back. */
    void unlock();
}
