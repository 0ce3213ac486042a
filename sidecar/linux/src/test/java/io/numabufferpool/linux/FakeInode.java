package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A file of a {@link FakeLinux}: its bytes, which NUMA node each page lies on, its policies and its locks. Guarded by it. */
final class FakeInode {
    static final int ABSENT = -1;
    static final long COLLAPSED_BYTES = 2L << 20;
    static final TaskPolicy NO_POLICY = new TaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty());

    /** The largest page a mapping may want to be aligned to. */
    private static final long ALIGNMENT = 2L << 20;

    final FakeMachine machine;
    final FileSystemStatus.Kind kind;
    final long pageBytes;
    final long number;
    final Map<Long, FakeFile> locks = new HashMap<>();
    final Map<Long, Set<FakeFile>> sharedLocks = new HashMap<>();
    final List<FakeMapping> mappings = new ArrayList<>();

    private final Map<Long, Integer> numaNodeOfPage = new TreeMap<>();
    private final Map<Long, TaskPolicy> policyOfPage = new TreeMap<>();
    private final Map<Long, Boolean> collapsed = new TreeMap<>();

    int permissions;
    long bytes;
    long modifiedNanos = now();
    private MemorySegment memory = Arena.ofAuto().allocate(0);

    FakeInode(FakeMachine machine, FileSystemStatus.Kind kind, long pageBytes, long number, int permissions) {
        this.machine = machine;
        this.kind = kind;
        this.pageBytes = pageBytes;
        this.number = number;
        this.permissions = permissions;
    }

    static long now() {
        var now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    /** The bytes up to there, in one place for all mappings: a file cannot move while one of them shows it. */
    MemorySegment memoryUpTo(long end) {
        if (end > memory.byteSize()) {
            if (!mappings.isEmpty()) {
                throw new IllegalStateException("FakeLinux cannot show " + end + " bytes of a file that is mapped with "
                        + memory.byteSize() + ": set its length, or map all of it, first");
            }
            var larger = Arena.ofAuto().allocate(end, ALIGNMENT);
            larger.copyFrom(memory);
            memory = larger;
        }
        return memory;
    }

    void setLength(long newBytes) {
        if (newBytes < bytes) {
            free(newBytes, bytes - newBytes);
        }
        bytes = newBytes;
    }

    void free(long offset, long length) {
        long end = Math.min(offset + length, memory.byteSize());
        if (end > offset) {
            memory.asSlice(offset, end - offset).fill((byte) 0);
        }
        for (long page = -Math.floorDiv(-offset, pageBytes); (page + 1) * pageBytes <= offset + length; page++) {
            var numaNode = numaNodeOfPage.remove(page);
            if (numaNode != null) {
                machine.give(numaNode, pageBytes, 1);
            }
            collapsed.remove(page * pageBytes / COLLAPSED_BYTES);
            for (var mapping : mappings) {
                mapping.touched.clear((int) page);
            }
        }
    }

    int numaNodeOf(long page) {
        return numaNodeOfPage.getOrDefault(page, ABSENT);
    }

    TaskPolicy policyOf(long page) {
        return policyOfPage.getOrDefault(page, NO_POLICY);
    }

    void setPolicy(long page, TaskPolicy policy) {
        policyOfPage.put(page, policy);
    }

    boolean isCollapsed(long page) {
        return collapsed.containsKey(page * pageBytes / COLLAPSED_BYTES);
    }

    /** Backs the page if it is not; false where no page can be had, or the page lies behind the end of the file. */
    boolean populate(long page, TaskPolicy taskPolicy, int cpu) {
        if (numaNodeOfPage.containsKey(page)) {
            return true;
        }
        if (page * pageBytes >= bytes) {
            return false;
        }
        var own = policyOf(page);
        var taken = machine.take(pageBytes, page, own.equals(NO_POLICY) ? taskPolicy : own, cpu);
        taken.ifPresent(numaNode -> numaNodeOfPage.put(page, numaNode));
        return taken.isPresent();
    }

    /** MPOL_MF_MOVE of one page: to a wanted node that has one. */
    void move(long page, TaskPolicy policy, int cpu) {
        int from = numaNodeOf(page);
        if (from == ABSENT || policy.numaNodes().contains(from)) {
            return;
        }
        machine.take(pageBytes, page, policy, cpu).ifPresent(to -> {
            machine.give(from, pageBytes, 1);
            numaNodeOfPage.put(page, to);
        });
    }

    /** Makes one huge page of the 2 MiB that begin there, on the node that has most of its pages, the lowest on a tie. */
    Errno collapse(long offset) {
        long first = offset / pageBytes;
        long count = COLLAPSED_BYTES / pageBytes;
        var pages = new TreeMap<Integer, Long>();
        for (long page = first; page < first + count; page++) {
            if (numaNodeOf(page) == ABSENT) {
                return Errno.EINVAL;
            }
            pages.merge(numaNodeOf(page), 1L, Long::sum);
        }
        int target = pages.firstKey();
        for (var entry : pages.entrySet()) {
            target = entry.getValue() > pages.get(target) ? entry.getKey() : target;
        }
        if (machine.free(target, pageBytes) < count - pages.get(target)) {
            return Errno.ENOMEM;
        }
        for (long page = first; page < first + count; page++) {
            machine.give(numaNodeOf(page), pageBytes, 1);
            machine.give(target, pageBytes, -1);
            numaNodeOfPage.put(page, target);
        }
        collapsed.put(offset / COLLAPSED_BYTES, true);
        return Errno.OK;
    }
}
