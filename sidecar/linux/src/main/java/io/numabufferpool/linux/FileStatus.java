package io.numabufferpool.linux;

/**
 * What fstat(2) says of an open file.
 *
 * @param device st_dev
 * @param inode st_ino
 * @param bytes st_size
 * @param kind regular file, block device, or something else
 * @param uid owner
 * @param permissions the low 12 bits of st_mode
 * @param modifiedNanos st_mtim since the epoch
 * @param changedNanos st_ctim since the epoch
 * @param generation the inode's generation, which differs when a number is used again; 0 where the file system has none
 */
public record FileStatus(
        long device,
        long inode,
        long bytes,
        Kind kind,
        int uid,
        int permissions,
        long modifiedNanos,
        long changedNanos,
        long generation) {
    /** What a pool can hold blocks of, and the rest. */
    public enum Kind {
        REGULAR,
        BLOCK_DEVICE,
        OTHER
    }
}
