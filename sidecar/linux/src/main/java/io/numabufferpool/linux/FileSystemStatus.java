package io.numabufferpool.linux;

/** A file system: the kind that decides how a segment is made there, its page (block) bytes, free and total bytes. */
public record FileSystemStatus(Kind kind, long pageBytes, long freeBytes, long totalBytes) {
    /** By the magic number of statfs(2). */
    public enum Kind {
        TMPFS,
        HUGETLBFS,
        OTHER
    }
}
