package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The kernel as this project needs it. Thread-safe.
 *
 * <p>Calls whose refusal is an ordinary outcome (memory policy, advice, locks) answer with an {@link Errno}; calls that
 * make something (files, mappings, sockets) throw {@link LinuxException} with the call, its arguments and the errno.
 */
public interface Linux {
    // ---- files ------------------------------------------------------------------------------------------------

    /** open(2) with O_CLOEXEC. CREATE_NEW makes the file with the given mode (umask not applied) and fails if it exists. */
    LinuxFile open(Path path, OpenMode mode, int permissions);

    /** Another description of the same open file through /proc/self/fd; for an O_RDONLY descriptor of a file that is open. */
    LinuxFile reopen(LinuxFile file, OpenMode mode);

    /** fstat(2), and FS_IOC_GETVERSION where the file system has it. */
    FileStatus status(LinuxFile file);

    /** ftruncate(2). */
    void setLength(LinuxFile file, long bytes);

    /** fchmod(2). */
    void setPermissions(LinuxFile file, int permissions);

    /** fallocate(2) with PUNCH_HOLE | KEEP_SIZE. */
    Errno punchHole(LinuxFile file, long offsetBytes, long bytes);

    /** pread(2) into native memory, once: bytes read, 0 at the end of the file. EINTR is retried. */
    long read(LinuxFile file, MemorySegment target, long offsetBytes);

    /** pwrite(2) from native memory, once: bytes written. EINTR is retried. */
    long write(LinuxFile file, MemorySegment source, long offsetBytes);

    /** statfs(2): the kind of file system and its page (block) size. */
    FileSystemStatus fileSystem(Path path);

    // ---- memory -----------------------------------------------------------------------------------------------

    /** mmap(2), MAP_SHARED | MAP_NORESERVE (never MAP_POPULATE), at an address aligned to {@code alignmentBytes}, a power of two. */
    Mapping map(LinuxFile file, long offsetBytes, long bytes, Protection protection, long alignmentBytes);

    /** madvise(2). POPULATE_WRITE returns EFAULT where a touch would be SIGBUS; pages so far stay. */
    Errno advise(MemorySegment range, Advice advice);

    /** mbind(2). The nodes are not checked against Mems_allowed: the kernel narrows a partly allowed set silently. */
    Errno bindMemory(MemorySegment range, MemoryPolicy policy, NumaNodeSet numaNodes, MemoryMove move);

    /** set_mempolicy(2) of the calling thread. */
    Errno setTaskPolicy(MemoryPolicy policy, NumaNodeSet numaNodes);

    /** get_mempolicy(2) of the calling thread; empty where seccomp refuses. */
    Optional<TaskPolicy> taskPolicy();

    /** sched_setaffinity(2) of the calling thread. */
    Errno setAffinity(CpuSet cpus);

    /** sched_setaffinity(2) of that thread of this process; ESRCH where it has ended. Threads that it starts later inherit it. */
    Errno setAffinity(int threadId, CpuSet cpus);

    /** The kernel's numbers of this process's threads, from /proc/self/task; some may have ended when they are read. */
    List<Integer> threadIds();

    /** sched_getaffinity(2) of the calling thread. */
    CpuSet affinity();

    /** The CPU this thread runs on now, from rseq where glibc registered it (0.6 ns), else getcpu(2). */
    int currentCpu();

    // ---- what is true: /proc ----------------------------------------------------------------------------------

    /** The lines of /proc/self/numa_maps whose mapping begins in the range, ascending by address. */
    List<NumaMaps.Line> numaMaps(MemorySegment range);

    /** ShmemPmdMapped, FilePmdMapped and hugetlb bytes of the range's mappings, from /proc/self/smaps. */
    HugeBytes hugeBytes(MemorySegment range);

    /** Mems_allowed_list, Cpus_allowed_list, Seccomp, Uid of /proc/self/status. */
    ProcessStatus processStatus();

    // ---- waiting and locks ------------------------------------------------------------------------------------

    /**
     * FUTEX_WAIT (shared between processes) on a 4-byte word: sleeps while it equals {@code expected}. Returns OK when
     * woken, EAGAIN when the word differed, ETIMEDOUT, or EINTR; callers loop.
     */
    Errno futexWait(MemorySegment word, int expected, long timeoutNanos);

    /** FUTEX_WAKE: how many were woken. */
    int futexWake(MemorySegment word, int count);

    /** F_OFD_SETLK, exclusive, on one byte: OK, or EAGAIN where another open file description holds it. */
    Errno tryLock(LinuxFile file, long offsetBytes);

    /** The same, together with others that lock it so. Either turns the other into itself where this description holds the byte. */
    Errno tryLockShared(LinuxFile file, long offsetBytes);

    /** F_OFD_SETLK, F_UNLCK, on one byte. */
    void unlock(LinuxFile file, long offsetBytes);

    // ---- Unix sockets with descriptors ------------------------------------------------------------------------

    /** A listening SOCK_STREAM socket at this path, made with the given permissions; an old socket file is replaced. */
    UnixListener listen(Path path, int permissions, int backlog);

    /** connect(2) to a Unix stream socket; both directions time out after {@code timeoutMillis}. */
    UnixConnection connect(Path path, int timeoutMillis);

    // ---- the machine ------------------------------------------------------------------------------------------

    /** uname -r. */
    String kernelRelease();

    /** getpid(2). */
    int processId();
}
