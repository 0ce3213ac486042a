package io.numabufferpool.pool;

import io.numabufferpool.linux.Linux;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * One process's view of an attached segment. Thread-safe. Closing it is the owner's matter: close the sessions first,
 * then unmap the memory.
 */
public final class BufferPool {
    private static final long SLOT_PARK_NANOS = 1_000_000;

    private final Segment segment;
    private final DescriptorTable descriptors;
    private final LookupTable table;
    private final SlotTable slots;
    private final SpaceTable spaces;
    private final SpacePages pages;
    private final Futex futex;
    private final PoolOptions options;
    private final Access access;
    private final int clientNumber;
    private final MemorySegment readableBuffers;
    private final GhostTable ghosts;

    private BufferPool(Segment segment, Futex futex, int clientNumber, Access access, PoolOptions options) {
        this.segment = segment;
        this.clientNumber = clientNumber;
        this.access = access;
        this.options = options;
        this.readableBuffers = segment.buffers.asReadOnly();
        this.slots = new SlotTable(segment);
        this.descriptors = new DescriptorTable(segment.control, futex);
        this.table = new LookupTable(segment, descriptors, slots::ownerName);
        this.pages = new SpacePages(segment, descriptors);
        this.spaces = new SpaceTable(segment, pages, clientNumber);
        this.futex = futex;
        this.ghosts = new GhostTable(access == Access.READ_WRITE ? segment.bufferCount() : 0);
    }

    /**
     * Checks the two files and makes the view.
     *
     * @param control the whole control file, mapped readable and writable
     * @param buffers the whole buffers file; writable if {@code access} is READ_WRITE
     * @param clientNumber the byte of clients.lock this process holds, 1 or higher
     * @throws PoolException.SegmentMismatch if the files are no segment that this version can use
     * @throws PoolException.ClientNumberInUse if slots of a dead process with that number wait for the reaper
     */
    public static BufferPool attach(
            MemorySegment control,
            MemorySegment buffers,
            Linux linux,
            int clientNumber,
            Access access,
            PoolOptions options) {
        return attach(control, buffers, Futex.of(linux), clientNumber, access, options);
    }

    static BufferPool attach(
            MemorySegment control,
            MemorySegment buffers,
            Futex futex,
            int clientNumber,
            Access access,
            PoolOptions options) {
        if (clientNumber < 1) {
            throw new IllegalArgumentException("client number " + clientNumber + " must be 1 or higher");
        }
        if (control.isReadOnly() || (access == Access.READ_WRITE && buffers.isReadOnly())) {
            throw new IllegalArgumentException("access " + access + " needs a writable control file"
                    + (access == Access.READ_WRITE ? " and a writable buffers file" : ""));
        }
        var pool = open(control, buffers, futex, clientNumber, access, options);
        int held = pool.slotsOf(clientNumber);
        if (held > 0) {
            throw new PoolException.ClientNumberInUse(
                    "client number " + clientNumber + " still holds " + held
                            + " slots of a process that died; take another byte of clients.lock until the sidecar has freed them");
        }
        return pool;
    }

    private static BufferPool open(
            MemorySegment control,
            MemorySegment buffers,
            Futex futex,
            int clientNumber,
            Access access,
            PoolOptions options) {
        return new BufferPool(SegmentCheck.attach(control, buffers), futex, clientNumber, access, options);
    }

    /**
     * The view of the one process that looks after the segment: what an earlier one of it left under this number is cleared
     * first, so it must be known to be dead. Reads pages of nobody.
     */
    public static BufferPool takeOver(
            MemorySegment control, MemorySegment buffers, Linux linux, int clientNumber, PoolOptions options) {
        return takeOver(control, buffers, Futex.of(linux), clientNumber, options);
    }

    static BufferPool takeOver(
            MemorySegment control, MemorySegment buffers, Futex futex, int clientNumber, PoolOptions options) {
        var pool = open(control, buffers, futex, clientNumber, Access.READ_ONLY, options);
        pool.reaper().reap(Set.of(clientNumber));
        return pool;
    }

    /** For taking buffers out of service. @throws PoolException.NoFreeSlot after a bounded wait */
    public BufferRetirement retirement() {
        return new BufferRetirement(this);
    }

    /** Leases a slot. @throws PoolException.NoFreeSlot after a bounded wait */
    public PoolSession openSession() {
        int homeNode = options.currentNumaNode().getAsInt();
        return new PoolSession(this, leaseSlot(homeNode), homeNode);
    }

    int leaseSlot() {
        return leaseSlot(options.currentNumaNode().getAsInt());
    }

    private int leaseSlot(int homeNode) {
        long deadline = System.nanoTime() + options.slotWaitNanos();
        while (true) {
            int slot = slots.tryLease(clientNumber, homeNode);
            if (slot >= 0) {
                return slot;
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new PoolException.NoFreeSlot("all " + segment.slotCount + " slots are leased, for "
                        + options.slotWaitNanos() / 1_000_000 + " ms now (slots by client number: " + slots.holders()
                        + "). Close sessions, or raise spec.slots.max");
            }
            LockSupport.parkNanos(SLOT_PARK_NANOS);
        }
    }

    /** The number of the space with that identity, the same in every process; a new one if it has none. Not 0. */
    public int registerSpace(SpaceIdentity identity) {
        return spaces.register(identity, options.lockWaitNanos());
    }

    /**
     * Opens a space that this process may change. All that open the file so, through this pool, see one content.
     *
     * @throws PoolException.SpaceInUse if it is open through another pool, or with another durability
     */
    public WritableSpace openWritableSpace(SpaceFile file, Durability durability) {
        if (access == Access.READ_ONLY) {
            throw new IllegalStateException("this client is attached ReadOnly: it cannot open a space for writing");
        }
        return spaces.openWritable(file, durability, options.lockWaitNanos());
    }

    /** Reads every state word and every ledger: some milliseconds per GiB of buffers. */
    public PoolStatistics readStatistics() {
        return new StatisticsReader(segment, descriptors, slots, spaces).read();
    }

    /** Hits by the client's NUMA node and the buffer's; only cells that are not zero. */
    public List<PoolStatistics.Traffic> readTraffic() {
        return new StatisticsReader(segment, descriptors, slots, spaces).readTraffic();
    }

    /** How many slots a client number holds now: 0 after it was reaped. */
    public int slotsOf(int client) {
        return slots.holders().getOrDefault(client, 0);
    }

    /** Frees what dead clients left. */
    public Reaper reaper() {
        return new Reaper(segment, descriptors, table, slots, spaces, futex, clientNumber);
    }

    public int bufferBytes() {
        return segment.bufferBytes;
    }

    public long bufferCount() {
        segment.refresh();
        return segment.bufferCount();
    }

    /** Buffers in service by partition. */
    public long[] bufferCounts() {
        segment.refresh();
        var counts = new long[segment.partitionCount];
        for (int partition = 0; partition < counts.length; partition++) {
            counts[partition] = segment.bufferCount(partition);
        }
        return counts;
    }

    /** Descriptors by partition that ever had a buffer: those that have memory. */
    public long[] descriptorCounts() {
        var counts = new long[segment.partitionCount];
        for (int partition = 0; partition < counts.length; partition++) {
            counts[partition] = segment.descriptorCount(partition);
        }
        return counts;
    }

    /** The random number of this segment. */
    public long segmentGeneration() {
        return segment.generation;
    }

    public Access access() {
        return access;
    }

    Segment segment() {
        return segment;
    }

    DescriptorTable descriptors() {
        return descriptors;
    }

    LookupTable table() {
        return table;
    }

    SlotTable slots() {
        return slots;
    }

    SpaceTable spaces() {
        return spaces;
    }

    SpacePages pages() {
        return pages;
    }

    GhostTable ghosts() {
        return ghosts;
    }

    Futex futex() {
        return futex;
    }

    int clientNumber() {
        return clientNumber;
    }

    PoolOptions options() {
        return options;
    }

    MemorySegment readableBuffers() {
        return readableBuffers;
    }
}
