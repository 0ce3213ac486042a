package io.numabufferpool.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongUnaryOperator;

/**
 * A mapping of this process. After close() an access through its memory throws, and the kernel's munmap happens when the
 * last system call on it has ended, so that a call running on another thread never meets a stranger's pages there.
 */
final class MappedMemory implements Mapping {
    /** By the scope of their segments and all slices of them. */
    private static final ConcurrentMap<MemorySegment.Scope, MappedMemory> BY_SCOPE = new ConcurrentHashMap<>();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final CountedUse use;

    /** Takes over a mapping that exists: {@code mappedBytes}, whole pages, and the guard below it will be unmapped. */
    MappedMemory(long address, long bytes, long mappedBytes, long guardBytes, Protection protection) {
        this.use = new CountedUse(() -> LibC.munmap(address - guardBytes, guardBytes + mappedBytes));
        var writable = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
        this.memory = protection == Protection.READ ? writable.asReadOnly() : writable;
        BY_SCOPE.put(memory.scope(), this);
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public synchronized void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        arena.close();
        BY_SCOPE.remove(memory.scope());
        use.end();
    }

    /**
     * The result of a call with the address of this native memory, which stays mapped until it returns.
     *
     * @throws IllegalArgumentException for memory on the Java heap
     * @throws IllegalStateException for memory that is closed, or of another thread
     */
    static long use(MemorySegment memory, LongUnaryOperator systemCall) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("The kernel needs native memory; this is on the Java heap: " + memory);
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalStateException("This memory belongs to another thread: " + memory);
        }
        var mapping = BY_SCOPE.get(memory.scope());
        if (mapping == null ? !memory.scope().isAlive() : !mapping.use.tryEnter()) {
            throw new IllegalStateException("This memory is closed: " + memory);
        }
        try {
            return systemCall.applyAsLong(memory.address());
        } finally {
            if (mapping != null) {
                mapping.use.leave();
            }
            Reference.reachabilityFence(memory); // memory of an automatic arena lives as long as its segment
        }
    }
}
