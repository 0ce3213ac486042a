package io.numabufferpool.server.segment;

import io.numabufferpool.crds.Reason;
import io.numabufferpool.linux.FileSystemStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.ByteCount;
import java.nio.file.Path;

/** Whether a folder can hold a segment: the right kind of file system, and room. */
public final class SegmentPlace {
    private final Linux linux;

    public SegmentPlace(Linux linux) {
        this.linux = linux;
    }

    /**
     * Of the control file, and of the buffers file unless its pages are reserved ones.
     *
     * @throws UnusableSegment where it is no tmpfs
     * @throws PlacementFailed where it is too small
     */
    public void checkTmpfs(Path folder, long bytes) {
        var status = linux.fileSystem(folder);
        if (status.kind() != FileSystemStatus.Kind.TMPFS) {
            throw new UnusableSegment(folder + " is not on a memory-backed file system (tmpfs): its pages could not be"
                    + " placed. Use an emptyDir of medium Memory, or --dir with a folder in /dev/shm.");
        }
        // A tmpfs without a limit says 0 in total.
        if (status.totalBytes() > 0 && status.freeBytes() < bytes) {
            throw new PlacementFailed(
                    Reason.MemoryLimitTooSmall,
                    "The segment needs " + ByteCount.render(bytes) + " in " + folder + ", which has "
                            + ByteCount.render(status.freeBytes()) + " free of " + ByteCount.render(status.totalBytes())
                            + ". Make spec.size smaller, or the file system larger (an emptyDir of medium Memory is as"
                            + " large as the memory limits of the pod's containers together).");
        }
    }

    /**
     * Of a buffers file with reserved huge pages.
     *
     * @throws UnusableSegment where it is no hugetlbfs of that page size
     */
    public void checkHugetlbfs(Path folder, long pageBytes) {
        var status = linux.fileSystem(folder);
        if (status.kind() != FileSystemStatus.Kind.HUGETLBFS || status.pageBytes() != pageBytes) {
            var found = status.kind() == FileSystemStatus.Kind.HUGETLBFS
                    ? "it has pages of " + ByteCount.render(status.pageBytes())
                    : "it is no hugetlbfs";
            throw new UnusableSegment("spec.hugePages.mode Reserved needs a hugetlbfs with pages of "
                    + ByteCount.render(pageBytes) + " at " + folder + ", but " + found
                    + ". Use an emptyDir of medium HugePages-" + ByteCount.asQuantity(pageBytes)
                    + ", or outside Kubernetes a mounted hugetlbfs of that page size.");
        }
    }
}
