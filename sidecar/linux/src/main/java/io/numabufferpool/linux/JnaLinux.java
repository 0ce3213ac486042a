package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The real kernel, through JNA. Thread-safe, without state of its own; one instance serves a process.
 *
 * <p>No argument crashes the JVM: memory must be native and open, a closed file answers EBADF, and addresses and lengths are
 * checked by the kernel. What can crash it is an access to a mapping whose file was made shorter or got a hole that cannot be
 * filled (SIGBUS), so those who do that keep others away first.
 *
 * <p>Calls that wait (accept, receive, futexWait) hold the platform thread under a virtual one: give loops that wait a thread of
 * their own.
 */
public final class JnaLinux implements Linux {
    /** struct utsname: six fields of 65 bytes; the release is the third. */
    private static final int UTSNAME_FIELD_BYTES = 65;

    private static final int UTSNAME_FIELDS = 6;
    private static final int RELEASE_FIELD = 2;

    private final FileCalls files;
    private final MemoryCalls memory;
    private final ThreadCalls threads;
    private final SocketCalls sockets;
    private final CurrentCpu currentCpu;
    private final ProcFiles proc = new ProcFiles(Path.of("/proc/self"));

    /**
     * The kernel of this machine.
     *
     * @throws IllegalStateException where the native part of JNA cannot be loaded, with what to do
     * @throws UnsupportedOperationException on an architecture without known system call numbers
     */
    public JnaLinux() {
        loadNativePart();
        var numbers = Syscalls.of(System.getProperty("os.arch"));
        files = new FileCalls(numbers);
        memory = new MemoryCalls(numbers);
        threads = new ThreadCalls(numbers);
        sockets = new SocketCalls(files);
        currentCpu = CurrentCpu.ofThisProcess(numbers);
    }

    private static void loadNativePart() {
        try {
            LibC.getpid();
        } catch (LinkageError e) {
            var cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(
                    "The native part of JNA (libjnidispatch.so) cannot be loaded: " + cause.getMessage()
                            + ". JNA unpacks it into a folder that must be writable and not mounted noexec: "
                            + System.getProperty("jna.tmpdir", System.getProperty("java.io.tmpdir"))
                            + ". Name another one with -Djna.tmpdir=FOLDER, or a folder that holds the file already with"
                            + " -Djna.boot.library.path=FOLDER.",
                    e);
        }
    }

    @Override
    public LinuxFile open(Path path, OpenMode mode, int permissions) {
        return files.open(path, mode, permissions);
    }

    @Override
    public LinuxFile reopen(LinuxFile file, OpenMode mode) {
        return files.reopen(own(file), mode);
    }

    @Override
    public FileStatus status(LinuxFile file) {
        return files.status(own(file));
    }

    @Override
    public void setLength(LinuxFile file, long bytes) {
        files.setLength(own(file), bytes);
    }

    @Override
    public void setPermissions(LinuxFile file, int permissions) {
        files.setPermissions(own(file), permissions);
    }

    @Override
    public Errno punchHole(LinuxFile file, long offsetBytes, long bytes) {
        return files.punchHole(own(file), offsetBytes, bytes);
    }

    @Override
    public long read(LinuxFile file, MemorySegment target, long offsetBytes) {
        return files.read(own(file), target, offsetBytes);
    }

    @Override
    public long write(LinuxFile file, MemorySegment source, long offsetBytes) {
        return files.write(own(file), source, offsetBytes);
    }

    @Override
    public FileSystemStatus fileSystem(Path path) {
        return files.fileSystem(path);
    }

    @Override
    public Mapping map(LinuxFile file, long offsetBytes, long bytes, Protection protection, long alignmentBytes) {
        return memory.map(own(file), offsetBytes, bytes, protection, alignmentBytes);
    }

    @Override
    public Errno advise(MemorySegment range, Advice advice) {
        return memory.advise(range, advice);
    }

    @Override
    public Errno bindMemory(MemorySegment range, MemoryPolicy policy, NumaNodeSet numaNodes, MemoryMove move) {
        return memory.bindMemory(range, policy, numaNodes, move);
    }

    @Override
    public Errno setTaskPolicy(MemoryPolicy policy, NumaNodeSet numaNodes) {
        return memory.setTaskPolicy(policy, numaNodes);
    }

    @Override
    public Optional<TaskPolicy> taskPolicy() {
        return memory.taskPolicy();
    }

    @Override
    public Errno setAffinity(CpuSet cpus) {
        return threads.setAffinity(0, cpus);
    }

    @Override
    public Errno setAffinity(int threadId, CpuSet cpus) {
        return threads.setAffinity(threadId, cpus);
    }

    @Override
    public List<Integer> threadIds() {
        return KernelFile.list(Path.of("/proc/self/task")).stream()
                .map(folder -> Integer.valueOf(folder.getFileName().toString()))
                .sorted()
                .toList();
    }

    @Override
    public CpuSet affinity() {
        return threads.affinity();
    }

    @Override
    public int currentCpu() {
        return currentCpu.get();
    }

    @Override
    public List<NumaMaps.Line> numaMaps(MemorySegment range) {
        return proc.numaMaps(range);
    }

    @Override
    public HugeBytes hugeBytes(MemorySegment range) {
        return proc.hugeBytes(range);
    }

    @Override
    public ProcessStatus processStatus() {
        return proc.processStatus();
    }

    @Override
    public Errno futexWait(MemorySegment word, int expected, long timeoutNanos) {
        return threads.futexWait(word, expected, timeoutNanos);
    }

    @Override
    public int futexWake(MemorySegment word, int count) {
        return threads.futexWake(word, count);
    }

    @Override
    public Errno tryLock(LinuxFile file, long offsetBytes) {
        return files.tryLock(own(file), offsetBytes);
    }

    @Override
    public Errno tryLockShared(LinuxFile file, long offsetBytes) {
        return files.tryLockShared(own(file), offsetBytes);
    }

    @Override
    public void unlock(LinuxFile file, long offsetBytes) {
        files.unlock(own(file), offsetBytes);
    }

    @Override
    public UnixListener listen(Path path, int permissions, int backlog) {
        return sockets.listen(path, permissions, backlog);
    }

    @Override
    public UnixConnection connect(Path path, int timeoutMillis) {
        return sockets.connect(path, timeoutMillis);
    }

    @Override
    public String kernelRelease() {
        try (var scratch = new NativeScratch()) {
            var utsname = scratch.allocate((long) UTSNAME_FIELD_BYTES * UTSNAME_FIELDS);
            if (LibC.uname(utsname.address()) < 0) {
                throw new LinuxException("uname", LibC.errno());
            }
            return utsname.getString((long) UTSNAME_FIELD_BYTES * RELEASE_FIELD, StandardCharsets.UTF_8);
        }
    }

    @Override
    public int processId() {
        return LibC.getpid();
    }

    private static JnaFile own(LinuxFile file) {
        if (file instanceof JnaFile own) {
            return own;
        }
        throw new IllegalArgumentException("This file was not opened by JnaLinux: " + file.name());
    }
}
