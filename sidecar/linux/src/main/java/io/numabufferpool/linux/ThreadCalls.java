package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.numabufferpool.placement.CpuSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/** Where threads run, and how they wait. Thread-safe. */
final class ThreadCalls {
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** 65,536 CPUs: more than NR_CPUS of any kernel (8192). The kernel wants room for all it could have. */
    private static final int AFFINITY_BYTES = 8192;

    private final Syscalls numbers;

    ThreadCalls(Syscalls numbers) {
        this.numbers = numbers;
    }

    /** 0: the calling thread. */
    Errno setAffinity(int threadId, CpuSet cpus) {
        try (var scratch = new NativeScratch()) {
            var mask = scratch.mask(cpus.toMask());
            long result = LibC.syscall(numbers.schedSetaffinity(), threadId, mask.byteSize(), mask.address());
            return result < 0 ? Errno.of(LibC.errno()) : Errno.OK;
        }
    }

    CpuSet affinity() {
        try (var scratch = new NativeScratch()) {
            var mask = scratch.allocate(AFFINITY_BYTES);
            long result = LibC.syscall(numbers.schedGetaffinity(), 0, AFFINITY_BYTES, mask.address());
            if (result < 0) {
                throw new LinuxException("sched_getaffinity of this thread", LibC.errno());
            }
            var bits = BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG));
            return CpuSet.of(bits.stream().toArray());
        }
    }

    Errno futexWait(MemorySegment word, int expected, long timeoutNanos) {
        try (var scratch = new NativeScratch()) {
            long nanos = Math.max(0, timeoutNanos);
            var timespec = scratch.allocate(2L * Long.BYTES);
            timespec.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timespec.set(JAVA_LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
            return Errno.of((int) -futex(word, FUTEX_WAIT, expected, timespec.address()));
        }
    }

    int futexWake(MemorySegment word, int count) {
        long result = futex(word, FUTEX_WAKE, count, 0);
        if (result < 0) {
            throw new LinuxException("futex wake at " + word, (int) -result);
        }
        return (int) result;
    }

    /** Never FUTEX_PRIVATE: the waiters are other processes. Minus errno, or the number of those woken. */
    private long futex(MemorySegment word, int operation, int value, long timeout) {
        if (word.byteSize() < Integer.BYTES) {
            throw new IllegalArgumentException("A futex word has 4 bytes; this memory has fewer: " + word);
        }
        return MappedMemory.use(word, address -> {
            long result = LibC.syscall(numbers.futex(), address, operation, value, timeout, 0, 0);
            return result < 0 ? -LibC.errno() : result;
        });
    }
}
