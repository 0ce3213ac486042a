package io.numabufferpool.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/** A mapping of a {@link FakeLinux}: a view of the file's memory with a lifetime of its own. Guarded by it. */
final class FakeMapping implements Mapping {
    private final FakeLinux linux;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    final FakeInode inode;
    final long offsetBytes;
    final boolean writable;
    /** Pages of the file that this mapping has in its page table: numa_maps counts only these. */
    final BitSet touched = new BitSet();

    FakeMapping(FakeLinux linux, FakeInode inode, long offsetBytes, long bytes, Protection protection) {
        this.linux = linux;
        this.inode = inode;
        this.offsetBytes = offsetBytes;
        this.writable = protection == Protection.READ_WRITE;
        var shown = inode.memoryUpTo(offsetBytes + bytes).asSlice(offsetBytes, bytes);
        var view = MemorySegment.ofAddress(shown.address()).reinterpret(bytes, arena, null);
        this.memory = writable ? view : view.asReadOnly();
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    /** The offset in the file of an address in this mapping. */
    long fileOffset(long address) {
        return offsetBytes + address - memory.address();
    }

    @Override
    public void close() {
        synchronized (linux) {
            if (arena.scope().isAlive()) {
                arena.close();
                inode.mappings.remove(this);
                linux.forget(this);
            }
        }
    }
}
