package io.numabufferpool.pool;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.StateWord;
import io.numabufferpool.pool.PoolStatistics.Buffers;
import io.numabufferpool.pool.PoolStatistics.Counters;
import io.numabufferpool.pool.PoolStatistics.NodeUsage;
import io.numabufferpool.pool.PoolStatistics.PartitionUsage;
import io.numabufferpool.pool.PoolStatistics.Traffic;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Adds up what the pool's words say, without stopping anybody. */
final class StatisticsReader {
    private final Segment segment;
    private final DescriptorTable descriptors;
    private final SlotTable slots;
    private final SpaceTable spaces;

    StatisticsReader(Segment segment, DescriptorTable descriptors, SlotTable slots, SpaceTable spaces) {
        this.segment = segment;
        this.descriptors = descriptors;
        this.slots = slots;
        this.spaces = spaces;
    }

    PoolStatistics read() {
        var pinned = pinnedNumbers();
        var partitions = new ArrayList<PartitionUsage>();
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            long evictions =
                    (long) PartitionLayout.EVICTIONS.getOpaque(segment.control, segment.partitionOffset(partition));
            partitions.add(new PartitionUsage(
                    partition, segment.partitionNode(partition), buffers(partition, pinned), evictions));
        }
        int leased = slots.holders().values().stream().mapToInt(count -> count).sum();
        return new PoolStatistics(nodes(partitions), partitions, leased, segment.slotCount, spaces.count());
    }

    private Set<Long> pinnedNumbers() {
        var numbers = new HashSet<Long>();
        for (int slot = 0; slot < segment.slotCount; slot++) {
            if (slots.clientNumber(slot) == 0) {
                continue;
            }
            long first = segment.slotOffset(slot) + SlotLayout.LEDGER_OFFSET;
            for (int i = 0; i < SlotLayout.LEDGER_ENTRY_COUNT; i++) {
                long entry = (long) SlotLayout.LEDGER_ENTRY.getAcquire(segment.control, first + (long) i * Long.BYTES);
                if (entry != 0 && segment.hasBuffer(LedgerEntry.bufferNumber(entry))) {
                    numbers.add(LedgerEntry.bufferNumber(entry));
                }
            }
        }
        return numbers;
    }

    private Buffers buffers(int partition, Set<Long> pinnedNumbers) {
        long used = 0;
        long dirty = 0;
        long torn = 0;
        long pinned = 0;
        long total = segment.bufferCount(partition);
        for (long index = 0; index < total; index++) {
            long word = descriptors.stateAcquire(
                    segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES);
            int phase = StateWord.phase(word);
            used += phase == StateWord.FREE || phase == StateWord.CLAIMED || phase == StateWord.RETIRED ? 0 : 1;
            dirty += StateWord.has(word, StateWord.DIRTY) ? 1 : 0;
            torn += StateWord.has(word, StateWord.TORN) ? 1 : 0;
        }
        for (long number : pinnedNumbers) {
            pinned += BufferNumber.partition(number) == partition ? 1 : 0;
        }
        return new Buffers(total, used, dirty, pinned, torn);
    }

    private List<NodeUsage> nodes(List<PartitionUsage> partitions) {
        var buffersByNode = new TreeMap<Integer, Buffers>();
        for (var partition : partitions) {
            buffersByNode.merge(partition.numaNode(), partition.buffers(), StatisticsReader::sum);
        }
        var nodes = new ArrayList<NodeUsage>();
        for (int group = 0; group < segment.counterGroupCount; group++) {
            var counters = counters(group);
            var buffers = buffersByNode.get(segment.groupNode(group));
            // Node -1 without buffers: only what ReadOnly sessions read for themselves is counted there.
            if (buffers != null || counters.misses() > 0) {
                nodes.add(new NodeUsage(
                        segment.groupNode(group), buffers == null ? new Buffers(0, 0, 0, 0, 0) : buffers, counters));
            }
        }
        return nodes;
    }

    private static Buffers sum(Buffers a, Buffers b) {
        return new Buffers(
                a.total() + b.total(),
                a.used() + b.used(),
                a.dirty() + b.dirty(),
                a.pinned() + b.pinned(),
                a.torn() + b.torn());
    }

    private Counters counters(int group) {
        var totals = new long[PoolCounter.values().length];
        for (int slot = 0; slot < segment.slotCount; slot++) {
            var counters = new SlotCounters(segment, slot);
            for (var counter : PoolCounter.values()) {
                totals[counter.id()] += counters.read(counter, group);
            }
        }
        return new Counters(
                totals[PoolCounter.HITS.id()],
                totals[PoolCounter.MISSES.id()],
                totals[PoolCounter.EVICTIONS.id()],
                totals[PoolCounter.LOAD_FAILURES.id()],
                totals[PoolCounter.WAITS.id()],
                totals[PoolCounter.RESCUES.id()],
                totals[PoolCounter.STEALS.id()],
                totals[PoolCounter.RETRIES.id()]);
    }

    List<Traffic> readTraffic() {
        var hits = new TreeMap<Integer, Map<Integer, Long>>();
        for (int slot = 0; slot < segment.slotCount; slot++) {
            var counters = new SlotCounters(segment, slot);
            for (int group = 0; group < segment.counterGroupCount; group++) {
                long count = counters.read(PoolCounter.HITS, group);
                if (count > 0) {
                    hits.computeIfAbsent(slots.numaNode(slot), node -> new TreeMap<>())
                            .merge(segment.groupNode(group), count, Long::sum);
                }
            }
        }
        return hits.entrySet().stream()
                .flatMap(row -> row.getValue().entrySet().stream()
                        .map(cell -> new Traffic(row.getKey(), cell.getKey(), cell.getValue())))
                .toList();
    }
}
