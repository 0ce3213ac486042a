package io.numabufferpool.pool;

/**
 * What makes a file the same file with the same content: any difference makes another space, so pages of a file that
 * was replaced, truncated or rewritten are never served for the new one. Fields as in {@code linux.FileStatus}.
 *
 * @param device st_dev
 * @param inode st_ino
 * @param inodeGeneration FS_IOC_GETVERSION, 0 where the file system has none
 * @param fileBytes st_size, or the size of a block device
 * @param modifiedNanos st_mtim since the epoch
 * @param changedNanos st_ctim since the epoch
 */
public record SpaceIdentity(
        long device, long inode, long inodeGeneration, long fileBytes, long modifiedNanos, long changedNanos) {
    /** Whether it names the same file, whatever its content. */
    boolean isSameFile(SpaceIdentity other) {
        return device == other.device && inode == other.inode && inodeGeneration == other.inodeGeneration;
    }
}
