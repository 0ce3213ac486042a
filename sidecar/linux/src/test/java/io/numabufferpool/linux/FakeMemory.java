package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Advice, memory policy and read-back of a {@link FakeLinux}'s mappings. Guarded by it. */
final class FakeMemory {
    private final FakeMachine machine;
    private final List<FakeMapping> mappings = new ArrayList<>();

    /** Whether MPOL_MF_MOVE meets pages that another process maps: it returns OK and moves nothing. */
    boolean mappedByOthers;

    FakeMemory(FakeMachine machine) {
        this.machine = machine;
    }

    void add(FakeMapping mapping) {
        mapping.inode.mappings.add(mapping);
        mappings.add(mapping);
    }

    void remove(FakeMapping mapping) {
        mappings.remove(mapping);
    }

    private List<FakeMapping> mappingsOf(MemorySegment range) {
        return mappings.stream()
                .filter(mapping -> mapping.memory().scope().equals(range.scope()))
                .toList();
    }

    static void requireUsable(MemorySegment range) {
        if (!range.isNative()) {
            throw new IllegalArgumentException("The kernel needs native memory; this is on the Java heap: " + range);
        }
        if (!range.scope().isAlive()) {
            throw new IllegalStateException("This memory is closed: " + range);
        }
    }

    Errno advise(MemorySegment range, Advice advice, TaskPolicy taskPolicy, int cpu) {
        if (range.address() % FakeMachine.SMALL_PAGE_BYTES != 0) {
            return Errno.EINVAL;
        }
        if (advice == Advice.REMOVE && range.byteSize() % FakeMachine.SMALL_PAGE_BYTES != 0) {
            return Errno.EINVAL;
        }
        for (var mapping : mappingsOf(range)) {
            var errno = switch (advice) {
                case POPULATE_READ, POPULATE_WRITE -> populate(mapping, range, advice, taskPolicy, cpu);
                case COLLAPSE -> collapse(mapping, range);
                case REMOVE -> remove(mapping, range);
                case WIPEONFORK -> Errno.EINVAL; // private memory only
            };
            if (!errno.ok()) {
                return errno;
            }
        }
        return Errno.OK;
    }

    private static Errno populate(
            FakeMapping mapping, MemorySegment range, Advice advice, TaskPolicy taskPolicy, int cpu) {
        if (advice == Advice.POPULATE_WRITE && !mapping.writable) {
            return Errno.EINVAL;
        }
        long pageBytes = mapping.inode.pageBytes;
        long begin = mapping.fileOffset(range.address());
        for (long page = begin / pageBytes; page * pageBytes < begin + range.byteSize(); page++) {
            if (!mapping.inode.populate(page, taskPolicy, cpu)) {
                return Errno.EFAULT;
            }
            mapping.touched.set((int) page);
        }
        return Errno.OK;
    }

    private static Errno collapse(FakeMapping mapping, MemorySegment range) {
        long huge = FakeInode.COLLAPSED_BYTES;
        long begin = mapping.fileOffset(range.address());
        if (mapping.inode.kind != FileSystemStatus.Kind.TMPFS || (range.address() - begin) % huge != 0) {
            return Errno.EINVAL;
        }
        for (long at = -Math.floorDiv(-begin, huge) * huge; at + huge <= begin + range.byteSize(); at += huge) {
            var errno = mapping.inode.collapse(at);
            if (!errno.ok()) {
                return errno;
            }
        }
        return Errno.OK;
    }

    private static Errno remove(FakeMapping mapping, MemorySegment range) {
        mapping.inode.free(mapping.fileOffset(range.address()), range.byteSize());
        return Errno.OK;
    }

    Errno bind(MemorySegment range, TaskPolicy policy, MemoryMove move, int cpu) {
        var problem = machine.check(policy.policy(), policy.numaNodes());
        if (problem.isPresent() || range.address() % FakeMachine.SMALL_PAGE_BYTES != 0) {
            return problem.orElse(Errno.EINVAL);
        }
        // The kernel narrows a partly allowed set silently.
        var narrowed = new TaskPolicy(policy.policy(), policy.numaNodes().and(machine.memsAllowed));
        var errno = Errno.OK;
        for (var mapping : mappingsOf(range)) {
            long pageBytes = mapping.inode.pageBytes;
            long begin = mapping.fileOffset(range.address());
            if (begin % pageBytes != 0) {
                return Errno.EINVAL;
            }
            for (long page = begin / pageBytes; page * pageBytes < begin + range.byteSize(); page++) {
                mapping.inode.setPolicy(page, narrowed);
                if (move == MemoryMove.MOVE && !mappedByOthers) {
                    mapping.inode.move(page, narrowed, cpu);
                }
                int numaNode = mapping.inode.numaNodeOf(page);
                boolean elsewhere = numaNode != FakeInode.ABSENT
                        && !narrowed.numaNodes().isEmpty()
                        && !narrowed.numaNodes().contains(numaNode);
                if (move == MemoryMove.CHECK && elsewhere) {
                    errno = Errno.EIO;
                }
            }
        }
        return errno;
    }

    /** One line for each run of pages with the same policy, as mbind splits a mapping. */
    List<NumaMaps.Line> numaMaps(MemorySegment range) {
        return mappings.stream()
                .filter(mapping -> mapping.memory().scope().equals(range.scope()) || range.address() == 0)
                .flatMap(mapping -> lines(mapping).stream())
                .filter(line ->
                        line.address() >= range.address() && line.address() - range.address() < range.byteSize())
                .sorted(Comparator.comparingLong(NumaMaps.Line::address))
                .toList();
    }

    private static List<NumaMaps.Line> lines(FakeMapping mapping) {
        var lines = new ArrayList<NumaMaps.Line>();
        long pageBytes = mapping.inode.pageBytes;
        long end = mapping.offsetBytes + mapping.memory().byteSize();
        SortedMap<Integer, Long> pages = new TreeMap<>();
        long first = mapping.offsetBytes / pageBytes;
        for (long page = first; page * pageBytes < end; page++) {
            int numaNode = mapping.inode.numaNodeOf(page);
            if (numaNode != FakeInode.ABSENT && mapping.touched.get((int) page)) {
                pages.merge(numaNode, 1L, Long::sum);
            }
            var policy = mapping.inode.policyOf(page);
            boolean last = (page + 1) * pageBytes >= end;
            if (last || !policy.equals(mapping.inode.policyOf(page + 1))) {
                long address = mapping.memory().address() + first * pageBytes - mapping.offsetBytes;
                lines.add(new NumaMaps.Line(address, text(policy), pageBytes, pages));
                pages = new TreeMap<>();
                first = page + 1;
            }
        }
        return lines;
    }

    private static String text(TaskPolicy policy) {
        var name = switch (policy.policy()) {
            case DEFAULT -> "default";
            case LOCAL -> "local";
            case PREFERRED -> "prefer";
            case BIND -> "bind";
            case INTERLEAVE -> "interleave";
            case PREFERRED_MANY -> "prefer (many)";
            case WEIGHTED_INTERLEAVE -> "weighted interleave";
        };
        return policy.numaNodes().isEmpty() ? name : name + ":" + policy.numaNodes();
    }

    HugeBytes hugeBytes(MemorySegment range) {
        long transparent = 0;
        long reserved = 0;
        for (var mapping : mappingsOf(range)) {
            long pageBytes = mapping.inode.pageBytes;
            for (long page = mapping.touched.nextSetBit(0);
                    page >= 0;
                    page = mapping.touched.nextSetBit((int) page + 1)) {
                boolean present = mapping.inode.numaNodeOf(page) != FakeInode.ABSENT;
                if (present && mapping.inode.kind == FileSystemStatus.Kind.HUGETLBFS) {
                    reserved += pageBytes;
                } else if (present && mapping.inode.isCollapsed(page)) {
                    transparent += pageBytes;
                }
            }
        }
        return new HugeBytes(transparent, reserved);
    }

    /** What a policy without nodes is: the kernel's first touch. */
    static TaskPolicy noPolicy() {
        return new TaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty());
    }
}
