package io.numabufferpool.pool;

import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which session has which slot. Thread-safe. The client number stands in the word that claims the slot, so there is no
 * moment in which a slot is taken by nobody; the occupancy bit, set after the claim and before the first pin, only
 * saves sweepers from reading free slots.
 */
final class SlotTable {
    private final Segment segment;
    private final MemorySegment control;

    SlotTable(Segment segment) {
        this.segment = segment;
        this.control = segment.control;
    }

    /** Leases a free slot, on that NUMA node if one is free there (-1: any); -1 if all are leased. */
    int tryLease(int clientNumber, int preferredNode) {
        int slot = preferredNode < 0 ? -1 : tryLeaseOn(clientNumber, preferredNode);
        return slot >= 0 ? slot : tryLeaseOn(clientNumber, -1);
    }

    private int tryLeaseOn(int clientNumber, int numaNode) {
        for (int slot = 0; slot < segment.slotCount; slot++) {
            long at = segment.slotOffset(slot);
            if (numaNode >= 0 && (int) SlotLayout.NUMA_NODE.get(control, at) - 1 != numaNode) {
                continue;
            }
            long word = (long) SlotLayout.OWNER.getAcquire(control, at);
            long leased = SlotLayout.ownerWord(clientNumber, SlotLayout.generation(word) + 1);
            if (SlotLayout.clientNumber(word) == 0 && SlotLayout.OWNER.compareAndSet(control, at, word, leased)) {
                if (CrashPoint.ARMED) {
                    CrashPoint.SLOT_OWNED.reached();
                }
                SlotLayout.LEDGER_HIGH.setOpaque(control, at, 0);
                setOccupied(slot);
                if (CrashPoint.ARMED) {
                    CrashPoint.SLOT_OCCUPIED.reached();
                }
                return slot;
            }
        }
        return -1;
    }

    /** Frees a slot whose ledger is empty. The owner word goes last: a slot that looks free is free. */
    void release(int slot) {
        long at = segment.slotOffset(slot);
        long word = (long) SlotLayout.OWNER.getAcquire(control, at);
        SlotLayout.WAIT_ON.setOpaque(control, at, 0L);
        SlotLayout.EPOCH.setOpaque(control, at, 0L);
        clearOccupied(slot);
        if (CrashPoint.ARMED) {
            CrashPoint.SLOT_NOT_OCCUPIED.reached();
        }
        SlotLayout.OWNER.setRelease(control, at, SlotLayout.ownerWord(0, SlotLayout.generation(word)));
    }

    private void setOccupied(int slot) {
        var _ = (long) ControlHeaderLayout.LONG_AT.getAndBitwiseOr(control, occupancyOffset(slot >>> 6), 1L << slot);
    }

    private void clearOccupied(int slot) {
        var _ = (long)
                ControlHeaderLayout.LONG_AT.getAndBitwiseAnd(control, occupancyOffset(slot >>> 6), ~(1L << slot));
    }

    private long occupancyOffset(int word) {
        return segment.occupancyOffset + (long) word * Long.BYTES;
    }

    /** One bit a slot from slot 64 * word on. */
    long occupancy(int word) {
        return (long) ControlHeaderLayout.LONG_AT.getAcquire(control, occupancyOffset(word));
    }

    int occupancyWords() {
        return Math.ceilDiv(segment.slotCount, Long.SIZE);
    }

    /** 0: free. */
    int clientNumber(int slot) {
        return SlotLayout.clientNumber((long) SlotLayout.OWNER.getAcquire(control, segment.slotOffset(slot)));
    }

    int numaNode(int slot) {
        return (int) SlotLayout.NUMA_NODE.get(control, segment.slotOffset(slot)) - 1;
    }

    /** Slots by client number. */
    SortedMap<Integer, Integer> holders() {
        var holders = new TreeMap<Integer, Integer>();
        for (int slot = 0; slot < segment.slotCount; slot++) {
            int clientNumber = clientNumber(slot);
            if (clientNumber != 0) {
                holders.merge(clientNumber, 1, Integer::sum);
            }
        }
        return holders;
    }

    /** For messages: a lock owner or state word owner (slot index + 1). */
    String ownerName(int owner) {
        if (owner == LookupBucketLayout.REAPER) {
            return "the sidecar's reaper";
        }
        if (owner < 1 || owner > segment.slotCount) {
            return "nobody";
        }
        int clientNumber = clientNumber(owner - 1);
        return "slot " + (owner - 1) + (clientNumber == 0 ? " (free by now)" : " of client " + clientNumber);
    }
}
