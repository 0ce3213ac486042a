package io.numabufferpool.linux;

import com.sun.jna.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * The CPU that the calling thread runs on. Thread-safe.
 *
 * <p>glibc 2.35 and later registers a {@code struct rseq} for each thread, in which the kernel keeps {@code cpu_id}
 * (include/uapi/linux/rseq.h); reading it is one load. Everything else (musl, older glibc, the tunable
 * {@code glibc.pthread.rseq=0}, arm64, virtual threads) asks sched_getcpu(3).
 */
final class CurrentCpu {
    /* The area lies at the thread pointer + __rseq_offset. On x86-64 pthread_self() is the thread pointer; on arm64 it lies
     * before it by a size that glibc does not promise, hence not there. The address is valid in its own thread only, and dies
     * with it: it lives in a ThreadLocal of platform threads. A virtual thread can continue on another one, so it never keeps it. */
    private static final int CPU_ID_OFFSET = 4;
    private static final long NO_AREA = 0;
    private static final MemorySegment ALL_MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final boolean hasRseq;
    private final IntSupplier systemCall;
    private final ThreadLocal<Long> cpuIdAddress;

    /**
     * @param variables the value of a libc variable of 8 bytes ({@code __rseq_offset}) or 4 ({@code __rseq_size}), or empty
     * @param systemCall asks the kernel, when there is no area
     */
    CurrentCpu(Syscalls numbers, Function<String, OptionalLong> variables, IntSupplier systemCall) {
        var offset = variables.apply("__rseq_offset");
        var size = variables.apply("__rseq_size");
        this.hasRseq =
                numbers == Syscalls.X86_64 && offset.isPresent() && (size.orElse(0) & 0xffffffffL) > CPU_ID_OFFSET;
        this.systemCall = systemCall;
        this.cpuIdAddress = ThreadLocal.withInitial(() -> LibC.pthread_self() + offset.orElse(NO_AREA) + CPU_ID_OFFSET);
    }

    static CurrentCpu ofThisProcess(Syscalls numbers) {
        return new CurrentCpu(numbers, CurrentCpu::variable, LibC::sched_getcpu);
    }

    /** Whether threads of this process have the area. */
    boolean hasRseq() {
        return hasRseq;
    }

    int get() {
        if (hasRseq && !Thread.currentThread().isVirtual()) {
            int cpu = ALL_MEMORY.get(ValueLayout.JAVA_INT, cpuIdAddress.get());
            if (cpu >= 0) { // negative: the registration of this thread failed
                return cpu;
            }
        }
        int cpu = systemCall.getAsInt();
        if (cpu < 0) {
            throw new LinuxException("sched_getcpu", LibC.errno());
        }
        return cpu;
    }

    private static OptionalLong variable(String name) {
        try {
            var address = NativeLibrary.getProcess().getGlobalVariableAddress(name);
            // Both are at least 4 bytes; __rseq_offset (ptrdiff_t) has 8, __rseq_size (unsigned) 4.
            return OptionalLong.of(name.endsWith("_offset") ? address.getLong(0) : address.getInt(0));
        } catch (UnsatisfiedLinkError absent) {
            return OptionalLong.empty();
        }
    }
}
