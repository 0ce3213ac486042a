package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A machine in memory, with as many NUMA nodes as its topology says: files, free pages per node, memory policies, locks,
 * futexes and sockets, and any errno on demand. For tests of code that places segments. Thread-safe.
 *
 * <p>It behaves as {@link LinuxContract} says, with two limits: pages come by populate, not by touch, and a mapped file cannot
 * grow past what its first mapping showed.
 */
public final class FakeLinux implements Linux {
    private static final int PROCESS_ID = 4242;
    private static final int FIRST_DESCRIPTOR = 3;

    private final FakeMachine machine;
    private final FakeMemory memory;
    private final FakeFutex futex = new FakeFutex();
    private final FakeSockets sockets = new FakeSockets(this);
    private final Map<Path, FakeInode> files = new HashMap<>();
    private final Map<Path, Long> hugePageMounts = new HashMap<>();
    private final Map<FakeCall, Failure> failures = new EnumMap<>(FakeCall.class);
    private final ThreadLocal<TaskPolicy> taskPolicies = ThreadLocal.withInitial(FakeMemory::noPolicy);
    private final ThreadLocal<Optional<CpuSet>> affinities = ThreadLocal.withInitial(Optional::empty);
    private int nextDescriptor = FIRST_DESCRIPTOR;
    private int uid = 65532;
    private int seccompMode = 2;
    private String kernelRelease = "6.12.0-fake";

    /** Calls left to let through, then calls left to fail. */
    private static final class Failure {
        private final Errno errno;
        private int pass;
        private int fail;

        private Failure(Errno errno, int pass, int fail) {
            this.errno = errno;
            this.pass = pass;
            this.fail = fail;
        }
    }

    /** A machine with this topology, whose free bytes and free huge pages it starts with; everything is allowed. */
    public FakeLinux(NumaTopology topology) {
        machine = new FakeMachine(topology);
        memory = new FakeMemory(machine);
    }

    // ---- what a test sets up ----------------------------------------------------------------------------------

    /** Every such call fails from now on. */
    public synchronized void fail(FakeCall call, Errno errno) {
        failures.put(call, new Failure(errno, 0, Integer.MAX_VALUE));
    }

    /** The next {@code pass} calls go through, then {@code fail} of them fail. */
    public synchronized void fail(FakeCall call, Errno errno, int pass, int fail) {
        failures.put(call, new Failure(errno, pass, fail));
    }

    /** Such calls work again. */
    public synchronized void heal(FakeCall call) {
        failures.remove(call);
    }

    /** The cpuset. */
    public synchronized void allow(NumaNodeSet mems, CpuSet cpus) {
        machine.memsAllowed = mems;
        machine.cpusAllowed = cpus;
    }

    /** How many pages of that size are free on the node: 4096 for small ones. */
    public synchronized void setFreePages(int numaNode, long pageBytes, long pages) {
        machine.setFree(numaNode, pageBytes, pages);
    }

    public synchronized long freePages(int numaNode, long pageBytes) {
        return machine.free(numaNode, pageBytes);
    }

    /** The topology with the pages that are free now. */
    public synchronized NumaTopology topology() {
        return machine.topology();
    }

    /** Files in this folder are hugetlbfs files from now on. */
    public synchronized void mountHugePages(Path folder, long pageBytes) {
        hugePageMounts.put(folder, pageBytes);
    }

    /** Whether other processes map the files, so that MPOL_MF_MOVE moves nothing and still says OK. */
    public synchronized void setMappedByOthers(boolean mapped) {
        memory.mappedByOthers = mapped;
    }

    public synchronized void setProcess(int newUid, int newSeccompMode, String newKernelRelease) {
        uid = newUid;
        seccompMode = newSeccompMode;
        kernelRelease = newKernelRelease;
    }

    /** unlink(2); false where there is no such file. */
    public synchronized boolean delete(Path path) {
        return files.remove(path) != null;
    }

    private Errno failure(FakeCall call) {
        var failure = failures.get(call);
        if (failure == null) {
            return Errno.OK;
        }
        if (failure.pass > 0) {
            failure.pass--;
            return Errno.OK;
        }
        failure.fail--;
        return failure.fail < 0 ? Errno.OK : failure.errno;
    }

    private void throwFailure(FakeCall call, String attempted) {
        throwUnlessOk(failure(call), attempted);
    }

    private static void throwUnlessOk(Errno errno, String attempted) {
        if (!errno.ok()) {
            throw new LinuxException(attempted, errno.number());
        }
    }

    // ---- files ------------------------------------------------------------------------------------------------

    @Override
    public synchronized LinuxFile open(Path path, OpenMode mode, int permissions) {
        var attempted = "open of " + path + " (" + mode + ")";
        throwFailure(FakeCall.OPEN, attempted);
        var inode = files.get(path);
        boolean create = mode == OpenMode.CREATE || mode == OpenMode.CREATE_NEW;
        throwUnlessOk(inode == null && !create ? Errno.ENOENT : Errno.OK, attempted);
        throwUnlessOk(inode != null && mode == OpenMode.CREATE_NEW ? Errno.EEXIST : Errno.OK, attempted);
        if (inode == null) {
            var hugePageBytes = hugePageBytes(path);
            var kind = hugePageBytes.isPresent() ? FileSystemStatus.Kind.HUGETLBFS : FileSystemStatus.Kind.TMPFS;
            long pageBytes = hugePageBytes.orElse(FakeMachine.SMALL_PAGE_BYTES);
            inode = new FakeInode(machine, kind, pageBytes, 100L + nextDescriptor, permissions);
            files.put(path, inode);
        }
        return new FakeFile(this, nextDescriptor++, path.toString(), inode, mode != OpenMode.READ_ONLY);
    }

    private Optional<Long> hugePageBytes(Path path) {
        return hugePageMounts.entrySet().stream()
                .filter(mount -> path.startsWith(mount.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    synchronized FakeFile passOn(FakeFile file) {
        return file.passedOn(nextDescriptor++);
    }

    private static FakeFile open(LinuxFile file, String attempted) {
        var fake = (FakeFile) file;
        throwUnlessOk(fake.isOpen() ? Errno.OK : Errno.EBADF, attempted + " of " + file.name());
        return fake;
    }

    @Override
    public synchronized LinuxFile reopen(LinuxFile file, OpenMode mode) {
        var fake = open(file, "reopen");
        return new FakeFile(this, nextDescriptor++, file.name(), fake.inode, mode != OpenMode.READ_ONLY);
    }

    @Override
    public synchronized FileStatus status(LinuxFile file) {
        var inode = open(file, "statx").inode;
        return new FileStatus(
                1,
                inode.number,
                inode.bytes,
                FileStatus.Kind.REGULAR,
                uid,
                inode.permissions,
                inode.modifiedNanos,
                inode.modifiedNanos,
                0);
    }

    @Override
    public synchronized void setLength(LinuxFile file, long bytes) {
        var attempted = "ftruncate of " + file.name() + " to " + bytes + " bytes";
        throwFailure(FakeCall.SET_LENGTH, attempted);
        var inode = open(file, "ftruncate to " + bytes + " bytes").inode;
        boolean pages = inode.kind != FileSystemStatus.Kind.HUGETLBFS || bytes % inode.pageBytes == 0;
        throwUnlessOk(bytes >= 0 && pages ? Errno.OK : Errno.EINVAL, attempted);
        inode.setLength(bytes);
    }

    @Override
    public synchronized void setPermissions(LinuxFile file, int permissions) {
        open(file, "fchmod").inode.permissions = permissions;
    }

    @Override
    public synchronized Errno punchHole(LinuxFile file, long offsetBytes, long bytes) {
        var errno = failure(FakeCall.PUNCH_HOLE);
        var fake = (FakeFile) file;
        if (!errno.ok() || !fake.isOpen() || !fake.writable) {
            return errno.ok() ? Errno.EBADF : errno;
        }
        if (offsetBytes < 0 || bytes <= 0) {
            return Errno.EINVAL;
        }
        fake.inode.free(offsetBytes, bytes);
        return Errno.OK;
    }

    @Override
    public synchronized long read(LinuxFile file, MemorySegment target, long offsetBytes) {
        FakeMemory.requireUsable(target);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("read of " + file.name() + " into memory that is read-only");
        }
        throwFailure(FakeCall.READ, "pread of " + target.byteSize() + " bytes of " + file.name());
        var inode = open(file, "pread").inode;
        long bytes = Math.max(0, Math.min(target.byteSize(), inode.bytes - offsetBytes));
        MemorySegment.copy(inode.memoryUpTo(offsetBytes + bytes), offsetBytes, target, 0, bytes);
        return bytes;
    }

    @Override
    public synchronized long write(LinuxFile file, MemorySegment source, long offsetBytes) {
        FakeMemory.requireUsable(source);
        var attempted = "pwrite of " + source.byteSize() + " bytes to " + file.name();
        throwFailure(FakeCall.WRITE, attempted);
        var fake = open(file, "pwrite");
        throwUnlessOk(fake.writable ? Errno.OK : Errno.EBADF, attempted);
        throwUnlessOk(fake.inode.kind == FileSystemStatus.Kind.HUGETLBFS ? Errno.EINVAL : Errno.OK, attempted);
        long end = offsetBytes + source.byteSize();
        MemorySegment.copy(source, JAVA_BYTE, 0, fake.inode.memoryUpTo(end), JAVA_BYTE, offsetBytes, source.byteSize());
        fake.inode.bytes = Math.max(fake.inode.bytes, end);
        fake.inode.modifiedNanos = FakeInode.now();
        return source.byteSize();
    }

    @Override
    public synchronized FileSystemStatus fileSystem(Path path) {
        var huge = hugePageBytes(path);
        long pageBytes = huge.orElse(FakeMachine.SMALL_PAGE_BYTES);
        var kind = huge.isPresent() ? FileSystemStatus.Kind.HUGETLBFS : FileSystemStatus.Kind.TMPFS;
        long freeBytes = machine.free(pageBytes) * pageBytes;
        return new FileSystemStatus(kind, pageBytes, freeBytes, freeBytes);
    }

    // ---- memory -----------------------------------------------------------------------------------------------

    @Override
    public synchronized Mapping map(
            LinuxFile file, long offsetBytes, long bytes, Protection protection, long alignmentBytes) {
        if (bytes <= 0 || offsetBytes < 0 || Long.bitCount(alignmentBytes) != 1) {
            throw new IllegalArgumentException("map of " + bytes + " bytes aligned to " + alignmentBytes
                    + ": bytes must be 1 or more, the alignment a power of two");
        }
        var attempted = "mmap of " + bytes + " bytes at offset " + offsetBytes + " of " + file.name();
        throwFailure(FakeCall.MAP, attempted);
        var fake = open(file, "mmap");
        var inode = fake.inode;
        throwUnlessOk(!fake.writable && protection == Protection.READ_WRITE ? Errno.EACCES : Errno.OK, attempted);
        throwUnlessOk(offsetBytes % inode.pageBytes != 0 ? Errno.EINVAL : Errno.OK, attempted);
        var mapping = new FakeMapping(this, inode, offsetBytes, bytes, protection);
        memory.add(mapping);
        return mapping;
    }

    synchronized void forget(FakeMapping mapping) {
        memory.remove(mapping);
    }

    @Override
    public synchronized Errno advise(MemorySegment range, Advice advice) {
        FakeMemory.requireUsable(range);
        var errno = failure(FakeCall.of(advice));
        return errno.ok() ? memory.advise(range, advice, taskPolicies.get(), currentCpu()) : errno;
    }

    @Override
    public synchronized Errno bindMemory(
            MemorySegment range, MemoryPolicy policy, NumaNodeSet numaNodes, MemoryMove move) {
        FakeMemory.requireUsable(range);
        var errno = failure(FakeCall.BIND_MEMORY);
        return errno.ok() ? memory.bind(range, new TaskPolicy(policy, numaNodes), move, currentCpu()) : errno;
    }

    @Override
    public synchronized Errno setTaskPolicy(MemoryPolicy policy, NumaNodeSet numaNodes) {
        var errno = failure(FakeCall.SET_TASK_POLICY);
        errno = errno.ok() ? machine.check(policy, numaNodes).orElse(Errno.OK) : errno;
        if (errno.ok()) {
            taskPolicies.set(new TaskPolicy(policy, numaNodes.and(machine.memsAllowed)));
        }
        return errno;
    }

    @Override
    public synchronized Optional<TaskPolicy> taskPolicy() {
        return failure(FakeCall.TASK_POLICY).ok() ? Optional.of(taskPolicies.get()) : Optional.empty();
    }

    @Override
    public synchronized Errno setAffinity(CpuSet cpus) {
        var errno = failure(FakeCall.SET_AFFINITY);
        var allowed = cpus.and(machine.cpusAllowed);
        if (errno.ok() && !allowed.isEmpty()) {
            affinities.set(Optional.of(allowed));
        }
        return errno.ok() && allowed.isEmpty() ? Errno.EINVAL : errno;
    }

    /** The machine in memory has one thread. */
    @Override
    public synchronized Errno setAffinity(int threadId, CpuSet cpus) {
        return threadIds().contains(threadId) ? setAffinity(cpus) : Errno.ESRCH;
    }

    @Override
    public List<Integer> threadIds() {
        return List.of(1);
    }

    @Override
    public synchronized CpuSet affinity() {
        return affinities.get().orElse(machine.cpusAllowed);
    }

    /** The first that the thread may run on. */
    @Override
    public int currentCpu() {
        return affinity().stream().findFirst().orElse(0);
    }

    @Override
    public synchronized List<NumaMaps.Line> numaMaps(MemorySegment range) {
        return memory.numaMaps(range);
    }

    @Override
    public synchronized HugeBytes hugeBytes(MemorySegment range) {
        return memory.hugeBytes(range);
    }

    @Override
    public synchronized ProcessStatus processStatus() {
        return new ProcessStatus(machine.memsAllowed, machine.cpusAllowed, seccompMode, uid);
    }

    // ---- waiting, locks, sockets, the machine -----------------------------------------------------------------

    @Override
    public Errno futexWait(MemorySegment word, int expected, long timeoutNanos) {
        FakeMemory.requireUsable(word);
        return futex.await(word, expected, timeoutNanos);
    }

    @Override
    public int futexWake(MemorySegment word, int count) {
        FakeMemory.requireUsable(word);
        return futex.wake(word, count);
    }

    @Override
    public synchronized Errno tryLock(LinuxFile file, long offsetBytes) {
        var errno = failure(FakeCall.LOCK);
        var fake = (FakeFile) file;
        if (!errno.ok() || !fake.isOpen()) {
            return errno.ok() ? Errno.EBADF : errno;
        }
        var sharers = sharers(fake, offsetBytes);
        if (sharers.stream().anyMatch(other -> other != fake.description())) {
            return Errno.EAGAIN;
        }
        var owner = fake.inode.locks.putIfAbsent(offsetBytes, fake.description());
        if (owner != null && owner != fake.description()) {
            return Errno.EAGAIN;
        }
        sharers.clear();
        return Errno.OK;
    }

    @Override
    public synchronized Errno tryLockShared(LinuxFile file, long offsetBytes) {
        var errno = failure(FakeCall.LOCK);
        var fake = (FakeFile) file;
        if (!errno.ok() || !fake.isOpen()) {
            return errno.ok() ? Errno.EBADF : errno;
        }
        var owner = fake.inode.locks.get(offsetBytes);
        if (owner != null && owner != fake.description()) {
            return Errno.EAGAIN;
        }
        fake.inode.locks.remove(offsetBytes);
        sharers(fake, offsetBytes).add(fake.description());
        return Errno.OK;
    }

    private static Set<FakeFile> sharers(FakeFile file, long offsetBytes) {
        return file.inode.sharedLocks.computeIfAbsent(offsetBytes, offset -> new HashSet<>());
    }

    @Override
    public synchronized void unlock(LinuxFile file, long offsetBytes) {
        var fake = open(file, "unlock");
        fake.inode.locks.remove(offsetBytes, fake.description());
        sharers(fake, offsetBytes).remove(fake.description());
    }

    @Override
    public UnixListener listen(Path path, int permissions, int backlog) {
        synchronized (this) {
            throwFailure(FakeCall.LISTEN, "listen at " + path);
            throwUnlessOk(
                    files.containsKey(path) ? Errno.EEXIST : Errno.OK,
                    "listen at " + path + ", where something other than a socket lies,");
        }
        return sockets.listen(path);
    }

    @Override
    public UnixConnection connect(Path path, int timeoutMillis) {
        synchronized (this) {
            throwFailure(FakeCall.CONNECT, "connect of the Unix socket " + path);
        }
        return sockets.connect(path, timeoutMillis);
    }

    @Override
    public synchronized String kernelRelease() {
        return kernelRelease;
    }

    @Override
    public int processId() {
        return PROCESS_ID;
    }
}
