package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.offset;
import static io.numabufferpool.layout.StructDeclaration.reserved;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * A slot: what one session publishes. Only its owner writes it (and the reaper of a dead owner). Counters follow the
 * struct, one line of {@link PoolCounter} a counter group. All zero: free, never leased. Since 1.0.
 */
public final class SlotLayout {
    /** Pins of one slot. A session that holds more leases further slots and uses their ledgers. */
    public static final int LEDGER_ENTRY_COUNT = 256;

    /** Without the counters. */
    public static final long BYTES = 128 + LEDGER_ENTRY_COUNT * 8L;

    public static final StructLayout LAYOUT = struct(
            "Slot",
            BYTES,
            JAVA_LONG.withName("owner"),
            JAVA_INT.withName("ledgerHigh"),
            JAVA_INT.withName("numaNode"),
            JAVA_LONG.withName("epoch"),
            JAVA_LONG.withName("waitOn"),
            reserved("reserved0", 32),
            reserved("reserved1", 64),
            MemoryLayout.sequenceLayout(LEDGER_ENTRY_COUNT, JAVA_LONG).withName("ledger"));

    /** Client number in bits 31..0 (0: free), lease generation in bits 63..32, which stays when the slot is freed. Compare-and-set to lease; release to free; read acquire. */
    public static final VarHandle OWNER = handle(LAYOUT, "owner");

    /** Ledger entries from here on are unused in this lease. Grows only, stored by the owner before the entry it makes visible; read acquire by sweepers. */
    public static final VarHandle LEDGER_HIGH = handle(LAYOUT, "ledgerHigh");

    /** NUMA node + 1 this slot's memory was placed on; 0: no single node. Written by the formatter. */
    public static final VarHandle NUMA_NODE = handle(LAYOUT, "numaNode");

    /** The header's placementEpoch + 1 while the owner reads a page that it has not pinned. 0: it does not. Owner: opaque, then a full fence. */
    public static final VarHandle EPOCH = handle(LAYOUT, "epoch");

    /** Buffer number the owner sleeps on. 0: none. Owner release; the reaper reads acquire. */
    public static final VarHandle WAIT_ON = handle(LAYOUT, "waitOn");

    public static final long LEDGER_OFFSET = offset(LAYOUT, "ledger");

    /** A {@link LedgerEntry}. The owner stores opaque, then a full fence, then reads the state word; sweepers read acquire after their fence. 0: nothing. */
    public static final VarHandle LEDGER_ENTRY = StructDeclaration.LONG_AT;

    /** One counter: opaque. Place: {@link #COUNTERS_OFFSET} + group * {@link PoolCounter#GROUP_BYTES} + {@link PoolCounter#offsetBytes()}. */
    public static final VarHandle COUNTER = StructDeclaration.LONG_AT;

    public static final long COUNTERS_OFFSET = BYTES;

    /** A slot begins on a page of its own, so that it can lie on its session's NUMA node. */
    public static final long ALIGNMENT_BYTES = 4096;

    /** Counter groups up to this many fit on the first page of a slot: they cost nothing. */
    public static final int COUNTER_GROUPS_FREE = (int) ((ALIGNMENT_BYTES - BYTES) / PoolCounter.GROUP_BYTES);

    private SlotLayout() {}

    /** Distance of two slots for a number of counter groups. */
    public static long strideBytes(int counterGroupCount) {
        return SegmentLayout.roundUp(BYTES + counterGroupCount * PoolCounter.GROUP_BYTES, ALIGNMENT_BYTES);
    }

    public static long ownerWord(int clientNumber, int generation) {
        return ((long) generation << 32) | Integer.toUnsignedLong(clientNumber);
    }

    /** 0: free. */
    public static int clientNumber(long ownerWord) {
        return (int) ownerWord;
    }

    public static int generation(long ownerWord) {
        return (int) (ownerWord >>> 32);
    }
}
