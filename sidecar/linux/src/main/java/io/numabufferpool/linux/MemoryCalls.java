package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/** Mappings, advice and memory policy. Thread-safe; the task's policy is the calling thread's. */
final class MemoryCalls {
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;

    /** Beyond any address space (57 bits), so that sums of lengths do not overflow before the kernel can refuse them. */
    private static final long BYTES_MAX = 1L << 60;

    private static final int MPOL_MF_STRICT = 1;
    private static final int MPOL_MF_MOVE = 2;
    /** MPOL_F_STATIC_NODES, _RELATIVE_NODES, _NUMA_BALANCING: bits 15, 14, 13. */
    private static final int MPOL_MODE_FLAGS = 0xe000;

    /** More than MAX_NUMNODES of any kernel (1024), and few enough bytes for get_mempolicy, which takes at most a page. */
    private static final int MASK_BITS = 4096;

    private final Syscalls numbers;
    /** 4096 on x86-64, up to 65536 on arm64. */
    private final long smallPageBytes = LibC.getpagesize();

    private final MappingPlace places = new MappingPlace(smallPageBytes);

    MemoryCalls(Syscalls numbers) {
        this.numbers = numbers;
    }

    Mapping map(JnaFile file, long offsetBytes, long bytes, Protection protection, long alignmentBytes) {
        if (bytes <= 0 || offsetBytes < 0 || Long.bitCount(alignmentBytes) != 1 || alignmentBytes < 0) {
            throw new IllegalArgumentException("map of " + bytes + " bytes at offset " + offsetBytes + " of " + file
                    + " aligned to " + alignmentBytes
                    + ": bytes must be 1 or more, the offset 0 or more, the alignment a power of two");
        }
        var attempted =
                "mmap of " + bytes + " bytes at offset " + offsetBytes + " of " + file + " (" + protection + ")";
        if (bytes > BYTES_MAX || alignmentBytes > BYTES_MAX) {
            throw new LinuxException(attempted, Errno.ENOMEM.number());
        }
        long pageBytes = Math.max(FileCalls.pageBytes(file), smallPageBytes);
        long mappedBytes = Math.multiplyExact(Math.addExact(bytes, pageBytes - 1) / pageBytes, pageBytes);
        int allow = protection == Protection.READ ? PROT_READ : PROT_READ | PROT_WRITE;
        long result = places.map(file, offsetBytes, mappedBytes, allow, Math.max(alignmentBytes, smallPageBytes));
        if (result < 0) {
            throw new LinuxException(attempted, (int) -result);
        }
        return new MappedMemory(result, bytes, mappedBytes, places.guardBytes(), protection);
    }

    Errno advise(MemorySegment range, Advice advice) {
        // The kernel rounds the length up to pages: that must not free bytes behind the range.
        if (advice == Advice.REMOVE && range.byteSize() % smallPageBytes != 0) {
            return Errno.EINVAL;
        }
        return call(range, address -> LibC.madvise(address, range.byteSize(), advice.number()));
    }

    Errno bindMemory(MemorySegment range, MemoryPolicy policy, NumaNodeSet numaNodes, MemoryMove move) {
        int flags = switch (move) {
            case LEAVE -> 0;
            case MOVE -> MPOL_MF_MOVE;
            case CHECK -> MPOL_MF_STRICT;
        };
        try (var scratch = new NativeScratch()) {
            var words = numaNodes.toMask();
            var mask = scratch.mask(words);
            return call(
                    range,
                    address -> LibC.syscall(
                            numbers.mbind(),
                            address,
                            range.byteSize(),
                            policy.number(),
                            mask.address(),
                            maxNode(words),
                            flags));
        }
    }

    Errno setTaskPolicy(MemoryPolicy policy, NumaNodeSet numaNodes) {
        try (var scratch = new NativeScratch()) {
            var words = numaNodes.toMask();
            long result = LibC.syscall(
                    numbers.setMempolicy(), policy.number(), scratch.mask(words).address(), maxNode(words));
            return result < 0 ? Errno.of(LibC.errno()) : Errno.OK;
        }
    }

    /** The kernel reads {@code maxnode - 1} bits (mm/mempolicy.c, get_nodes). */
    private static long maxNode(long[] words) {
        return (long) words.length * Long.SIZE + 1;
    }

    Optional<TaskPolicy> taskPolicy() {
        try (var scratch = new NativeScratch()) {
            var mode = scratch.allocate(Integer.BYTES);
            var mask = scratch.allocate(MASK_BITS / Byte.SIZE);
            long result = LibC.syscall(numbers.getMempolicy(), mode.address(), mask.address(), MASK_BITS + 1L, 0, 0);
            if (result < 0) {
                return Optional.empty();
            }
            var bits = BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG));
            var numaNodes = NumaNodeSet.of(bits.stream().toArray());
            return MemoryPolicy.of(mode.get(JAVA_INT, 0) & ~MPOL_MODE_FLAGS)
                    .map(policy -> new TaskPolicy(policy, numaNodes));
        }
    }

    private static Errno call(MemorySegment range, LongUnaryOperator systemCall) {
        long result = MappedMemory.use(range, address -> {
            long returned = systemCall.applyAsLong(address);
            return returned < 0 ? -LibC.errno() : returned;
        });
        return result < 0 ? Errno.of((int) -result) : Errno.OK;
    }
}
