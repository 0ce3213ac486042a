package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A slot leased by this process: what pins and reads. For one thread at a time; handing it to another thread needs a
 * happens-before edge (a lock, a queue). A handle belongs to its session.
 */
public final class PoolSession implements AutoCloseable {
    private final BufferPool pool;
    private final Segment segment;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final SlotTable slots;
    private final PoolOptions options;
    private final int slot;
    private final int owner;
    private final PinLedger ledger;
    private final SlotCounters counters;
    private final PageFinder finder;
    private final OptimisticReader optimistic;
    private final ContentLock contentLock;
    private final WriteBack writeBack;
    private final ClockSweep sweep;

    private final PageAdmission admission;
    private final SpaceChanges changes;
    private final PrivatePages privatePages;

    private boolean closed;

    PoolSession(BufferPool pool, int slot, int homeNode) {
        this.pool = pool;
        this.segment = pool.segment();
        this.descriptors = pool.descriptors();
        this.table = pool.table();
        this.slots = pool.slots();
        this.options = pool.options();
        this.slot = slot;
        this.owner = slot + 1;
        this.ledger = new PinLedger(segment, slot, pool::leaseSlot);
        this.counters = new SlotCounters(segment, slot);
        var wait = new BufferWait(segment, descriptors, pool.futex(), counters, slot);
        this.finder = new PageFinder(segment, descriptors, table, ledger, counters, wait);
        this.contentLock = new ContentLock(pool, ledger, wait, owner);
        this.writeBack = new WriteBack(pool, wait, owner);
        this.optimistic = new OptimisticReader(segment, descriptors, table, counters, slot);
        this.sweep =
                new ClockSweep(segment, descriptors, table, slots, counters, pool.ghosts(), options, owner, homeNode);
        this.admission = new PageAdmission(segment, descriptors, table, ledger, counters, sweep, options, owner);
        this.changes = new SpaceChanges(pool, ledger, finder, contentLock, writeBack);
        this.privatePages = new PrivatePages(segment.bufferBytes);
    }

    /**
     * Pins a block, reading it if it is not in the pool.
     *
     * @return a handle, never 0, to give back with {@link #unpin}; the same page pinned twice has to be unpinned twice
     * @throws IOException what the loader threw
     * @throws PoolException.NoVictim if every buffer is pinned, after a bounded wait
     * @throws PoolException.Stuck if another process holds the block's load for longer than loadWaitNanos
     */
    public long pin(int space, long block, BlockLoader loader) throws IOException {
        checkTag(space, block);
        ledger.reserve();
        long hash = LookupTable.hash(space, block);
        long found = finder.findAndPin(space, block, hash);
        return found > 0 ? hit(found) : pinSlowly(space, block, hash, loader, found);
    }

    /**
     * Pins many blocks: as {@link #pin} for each, but the memory's latencies overlap, so that a hit costs a fraction of one.
     *
     * @param handles gets the handle of each block, at its place; all have to be given back, equal ones as often as they appear
     * @throws IOException what the loader threw; then, as with every exception from here, nothing stays pinned
     */
    public void pinAll(int space, long[] blocks, long[] handles, BlockLoader loader) throws IOException {
        if (handles.length < blocks.length) {
            throw new IllegalArgumentException(
                    blocks.length + " blocks need as many handles; there is room for " + handles.length);
        }
        for (long block : blocks) {
            checkTag(space, block);
        }
        int pinned = 0;
        try {
            while (pinned < blocks.length) {
                int count = Math.min(blocks.length - pinned, PageFinder.TOGETHER_MAX);
                ledger.reserve(count);
                finder.findAndPinTogether(space, blocks, handles, pinned, count);
                pinned += count;
                pinTheRest(space, blocks, handles, pinned - count, pinned, loader);
            }
        } catch (IOException | RuntimeException | Error e) {
            unpinAll(handles, pinned);
            throw e;
        }
    }

    private void pinTheRest(int space, long[] blocks, long[] handles, int from, int to, BlockLoader loader)
            throws IOException {
        for (int i = from; i < to; i++) {
            if (handles[i] != PageFinder.MISS) {
                hit(handles[i]);
            }
        }
        for (int i = from; i < to; i++) {
            if (handles[i] == PageFinder.MISS) {
                handles[i] = pin(space, blocks[i], loader);
            }
        }
    }

    /** Gives back the first {@code count} handles. */
    public void unpinAll(long[] handles, int count) {
        for (int i = 0; i < count; i++) {
            if (handles[i] != PageFinder.MISS) {
                unpin(handles[i]);
            }
        }
    }

    private long hit(long number) {
        counters.add(PoolCounter.HITS, segment.counterGroup(number));
        return number;
    }

    /** Misses and waits; every further round follows a change that another session made. */
    private long pinSlowly(int space, long block, long hash, BlockLoader loader, long first) throws IOException {
        long found = first;
        long deadline = System.nanoTime() + options.loadWaitNanos();
        while (true) {
            if (found > 0) {
                return hit(found);
            }
            if (found == PageFinder.BUSY) {
                finder.awaitBusy();
            } else if (pool.access() == Access.READ_ONLY) {
                counters.add(PoolCounter.MISSES, 0);
                return privatePages.pin(block, loader);
            } else {
                long admitted = admission.admit(space, block, hash, loader);
                if (admitted != PageFinder.MISS) {
                    return admitted;
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw new PoolException.Stuck(
                        "block " + block + " of space " + space + " has been loaded or unmapped by "
                                + slots.ownerName(finder.busyOwner()) + " for " + options.loadWaitNanos() / 1_000_000
                                + " ms; its storage hangs or that process is stopped: continue it, or end it");
            }
            found = finder.findAndPin(space, block, hash);
        }
    }

    /** Pins a block if it is in the pool; 0 if not, or if it is being loaded. */
    public long tryPin(int space, long block) {
        checkTag(space, block);
        ledger.reserve();
        long found = finder.findAndPin(space, block, LookupTable.hash(space, block));
        return found > 0 ? hit(found) : 0;
    }

    /** The pinned page, read-only, bufferBytes long. Must not be used after the unpin. */
    public MemorySegment memory(long handle) {
        if (handle < 0) {
            return privatePages.memory(handle).asReadOnly();
        }
        segment.descriptor(handle);
        return pool.readableBuffers().asSlice(segment.bufferOffset(handle), segment.bufferBytes);
    }

    /** Gives a pin back. @throws IllegalStateException if this session does not hold it */
    public void unpin(long handle) {
        if (handle < 0) {
            privatePages.unpin(handle);
            return;
        }
        ledger.unpin(position(handle));
    }

    /** Where this session's ledger has it. */
    private int position(long handle) {
        int position = handle <= BufferNumber.NONE ? PinLedger.ABSENT : ledger.find(handle);
        if (position == PinLedger.ABSENT) {
            throw new IllegalStateException(
                    "buffer " + Long.toHexString(handle) + " is not pinned by this session: unpinned twice?");
        }
        return position;
    }

    /**
     * Waits until nobody is changing a pinned page; nobody will, until {@link #unlockShared}. For readers that cannot repeat what they
     * read; others {@link #read} without it. Memory of the session (a ReadOnly client's miss) is nobody else's: nothing to lock.
     *
     * @throws PoolException.Torn if its writer died in it
     * @throws PoolException.Stuck if a writer takes longer than loadWaitNanos
     */
    public void lockShared(long handle) {
        if (handle > 0) {
            contentLock.lockShared(position(handle), handle);
        }
    }

    /** Ends {@link #lockShared}, as often as it was called. */
    public void unlockShared(long handle) {
        if (handle > 0) {
            contentLock.unlockShared(position(handle), handle);
        }
    }

    /**
     * Waits until nobody else reads a pinned page under a lock or changes it; then only this session does, in
     * {@link #writableMemory}, until {@link #unlockExclusive}.
     *
     * @throws PoolException.Torn if its last writer died in it
     * @throws PoolException.Stuck if another session takes longer than loadWaitNanos
     * @throws IllegalStateException if this session has locked the page already, also for reading
     */
    public void lockExclusive(long handle) {
        requireWritable();
        contentLock.lockExclusive(position(handle), handle, false);
    }

    private void requireWritable() {
        if (pool.access() == Access.READ_ONLY) {
            throw new IllegalStateException("this client is attached ReadOnly: it cannot change pages");
        }
    }

    /** The page, bufferBytes long, while this session has it locked for writing. */
    public MemorySegment writableMemory(long handle) {
        contentLock.requireExclusive(position(handle), handle);
        return segment.buffers.asSlice(segment.bufferOffset(handle), segment.bufferBytes);
    }

    /** Ends {@link #lockExclusive}; the bytes are what they were before it. */
    public void unlockExclusive(long handle) {
        contentLock.unlockExclusive(position(handle), handle, 0, 0);
    }

    /**
     * Ends {@link #lockExclusive}; the bytes are newer than the file's: the page stays in the pool until somebody has written it
     * by {@link #flush}.
     *
     * @param logPosition how far the log has to be durable before that; 0: not at all
     */
    public void unlockExclusiveDirty(long handle, long logPosition) {
        int position = position(handle);
        contentLock.requireExclusive(position, handle);
        long at = segment.descriptor(handle);
        boolean older = StateWord.has(descriptors.state(at), StateWord.DIRTY);
        descriptors.setDirtied(
                at, pool.clientNumber(), older ? Math.max(logPosition, descriptors.logPosition(at)) : logPosition);
        if (CrashPoint.ARMED) {
            CrashPoint.PAGE_DIRTIED.reached();
        }
        contentLock.unlockExclusive(position, handle, StateWord.DIRTY, 0);
    }

    /** Whether a pinned page has changes that its file does not have. */
    public boolean isDirty(long handle) {
        return handle > 0 && StateWord.has(descriptors.state(segment.descriptor(handle)), StateWord.DIRTY);
    }

    /**
     * Writes a pinned page, if it is dirty: afterwards its space has every change that was complete before the call.
     *
     * @return whether it was dirty
     * @throws IOException what the sink threw; the page is dirty still
     * @throws PoolException.Torn if its writer died in it
     */
    public boolean flush(long handle, BlockSink sink) throws IOException {
        requireWritable();
        int position = position(handle);
        if (ledger.isExclusive(position)) {
            throw new IllegalStateException("this session is changing the page it wants to flush: unlock it first");
        }
        return writeBack.flush(handle, sink);
    }

    /**
     * Writes dirty pages of a space, whoever changed them; torn ones it leaves as they are.
     *
     * @return how many were written
     * @throws IOException what the sink threw first; the pages not yet written are dirty still
     */
    public int flushSpace(int space, BlockSink sink) throws IOException {
        requireWritable();
        return changes.flush(space, sink);
    }

    /** The same for those whose changers have died. */
    public int flushOrphans(int space, BlockSink sink) throws IOException {
        requireWritable();
        return changes.flushOrphans(space, sink);
    }

    /**
     * Takes back what a dead client left half changed or unlogged: such pages are read from the file again, also under the pins of
     * others. For who recovers the space.
     *
     * @param loggedPosition changes up to here stay, because they are in the log; -1: none do
     * @return how many pages
     * @throws IOException what the loader threw first; that page and those after it are as they were
     */
    public int reloadUnlogged(int space, long loggedPosition, BlockLoader loader) throws IOException {
        requireWritable();
        return changes.reloadUnlogged(space, loggedPosition, loader);
    }

    /** Copies bytes of a block, from {@code offsetBytes} in it, as many as {@code target} has; leaves nothing pinned. */
    public void read(int space, long block, long offsetBytes, MemorySegment target, BlockLoader loader)
            throws IOException {
        checkTag(space, block);
        checkInside(offsetBytes, target.byteSize());
        long number = optimistic.tryRead(space, block, offsetBytes, target);
        if (number != PageFinder.MISS) {
            hit(number);
            return;
        }
        readPinned(space, block, offsetBytes, target, loader);
    }

    /**
     * The eight bytes of a block at {@code offsetBytes}, aligned or not, in the machine's byte order; leaves nothing pinned. The cheapest
     * look at a page: what the header of a block, or a node's next key, takes.
     */
    public long peek(int space, long block, long offsetBytes, BlockLoader loader) throws IOException {
        checkTag(space, block);
        checkInside(offsetBytes, Long.BYTES);
        long number = optimistic.tryPeek(space, block, offsetBytes);
        if (number != PageFinder.MISS) {
            hit(number);
            return optimistic.peeked();
        }
        var bytes = MemorySegment.ofArray(new long[1]);
        readPinned(space, block, offsetBytes, bytes, loader);
        return bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private void checkInside(long offsetBytes, long count) {
        if (offsetBytes < 0 || count > segment.bufferBytes - offsetBytes) {
            throw new IndexOutOfBoundsException(count + " bytes from offset " + offsetBytes
                    + " are not inside a block of " + segment.bufferBytes + " bytes");
        }
    }

    private void readPinned(int space, long block, long offsetBytes, MemorySegment target, BlockLoader loader)
            throws IOException {
        long handle = pin(space, block, loader);
        try {
            lockShared(handle);
            try {
                MemorySegment.copy(memory(handle), offsetBytes, target, 0, target.byteSize());
            } finally {
                unlockShared(handle);
            }
        } finally {
            unpin(handle);
        }
    }

    /** The NUMA node of a pinned page; -1: no single node, or memory of the session. */
    public int numaNode(long handle) {
        return handle < 0 ? -1 : segment.groupNode(segment.counterGroup(handle));
    }

    private void checkTag(int space, long block) {
        if (closed) {
            throw new IllegalStateException("the session is closed");
        }
        if (space == 0 || block < 0) {
            throw new IllegalArgumentException("block " + block + " of space " + space
                    + ": a block is 0 or higher, a space comes from registerSpace");
        }
    }

    /** A page that is closed in the middle of a change is what it is when its writer dies there. */
    private void tearWhatIsBeingWritten() {
        for (int position = ledger.nextExclusive(0);
                position != PinLedger.ABSENT;
                position = ledger.nextExclusive(position)) {
            pool.spaces().crashed(descriptors.space(segment.descriptor(ledger.number(position))));
            contentLock.unlockExclusive(position, ledger.number(position), StateWord.TORN, 0);
        }
    }

    /** Gives back the slot. @throws IllegalStateException if pages were still pinned; the slot is given back all the same */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        tearWhatIsBeingWritten();
        sweep.close();
        int pinned = ledger.clearAll();
        for (int further : ledger.furtherSlots()) {
            slots.release(further);
        }
        slots.release(slot);
        if (pinned > 0) {
            throw new IllegalStateException("a session was closed with " + pinned + " pages pinned; unpin them first");
        }
    }
}
