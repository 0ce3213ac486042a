package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNode.HugePagePool;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The memory of a {@link FakeLinux}: free pages per NUMA node, and how the kernel takes one from them under a memory policy.
 * Guarded by its FakeLinux.
 */
final class FakeMachine {
    static final long SMALL_PAGE_BYTES = 4096;

    private final NumaTopology topology;
    /** Free pages by node, by page size. */
    private final Map<Long, Map<Integer, Long>> free = new TreeMap<>();

    NumaNodeSet memsAllowed;
    CpuSet cpusAllowed;

    FakeMachine(NumaTopology topology) {
        this.topology = topology;
        this.memsAllowed = topology.all();
        this.cpusAllowed = topology.numaNodes().stream().map(NumaNode::cpus).reduce(CpuSet.empty(), CpuSet::or);
        for (var node : topology.numaNodes()) {
            setFree(node.index(), SMALL_PAGE_BYTES, node.freeBytes() / SMALL_PAGE_BYTES);
            for (var pool : node.hugePages()) {
                setFree(node.index(), pool.pageBytes(), pool.freePages());
            }
        }
    }

    void setFree(int numaNode, long pageBytes, long pages) {
        free.computeIfAbsent(pageBytes, _ -> new TreeMap<>()).put(numaNode, pages);
    }

    long free(int numaNode, long pageBytes) {
        return free.getOrDefault(pageBytes, Map.of()).getOrDefault(numaNode, 0L);
    }

    long free(long pageBytes) {
        return free.getOrDefault(pageBytes, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    void give(int numaNode, long pageBytes, long pages) {
        setFree(numaNode, pageBytes, free(numaNode, pageBytes) + pages);
    }

    /** The machine with the pages that are free now. */
    NumaTopology topology() {
        return new NumaTopology(topology.numaNodes().stream()
                .map(node -> new NumaNode(
                        node.index(),
                        node.cpus(),
                        node.memoryBytes(),
                        free(node.index(), SMALL_PAGE_BYTES) * SMALL_PAGE_BYTES,
                        node.hugePages().stream()
                                .map(pool -> new HugePagePool(
                                        pool.pageBytes(),
                                        pool.totalPages(),
                                        free(node.index(), pool.pageBytes()),
                                        pool.surplusPages()))
                                .toList(),
                        node.distances()))
                .toList());
    }

    /** Takes one page for the page of that index in its file; empty where the policy and the cpuset leave none. */
    OptionalInt take(long pageBytes, long pageIndex, TaskPolicy policy, int cpu) {
        var local = nodeOf(cpu);
        var wanted = policy.numaNodes().and(memsAllowed).stream().boxed().toList();
        var candidates = switch (policy.policy()) {
            case BIND -> nearest(wanted, local);
            case INTERLEAVE, WEIGHTED_INTERLEAVE ->
                withFallback(List.of(wanted.get((int) (pageIndex % wanted.size()))));
            case PREFERRED, PREFERRED_MANY -> withFallback(nearest(wanted, local));
            case DEFAULT, LOCAL -> nearest(memsAllowed.stream().boxed().toList(), local);
        };
        for (int numaNode : candidates) {
            if (free(numaNode, pageBytes) > 0) {
                give(numaNode, pageBytes, -1);
                return OptionalInt.of(numaNode);
            }
        }
        return OptionalInt.empty();
    }

    private List<Integer> withFallback(List<Integer> first) {
        var rest = memsAllowed.stream()
                .filter(numaNode -> !first.contains(numaNode))
                .boxed();
        return Stream.concat(first.stream(), rest).toList();
    }

    private List<Integer> nearest(List<Integer> numaNodes, int local) {
        return numaNodes.stream()
                .sorted(Comparator.comparingInt((Integer numaNode) -> distance(local, numaNode))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private int distance(int from, int to) {
        var nodes = topology.numaNodes();
        int column = IntStream.range(0, nodes.size())
                .filter(i -> nodes.get(i).index() == to)
                .findFirst()
                .orElse(0);
        return topology.find(from)
                .map(NumaNode::distances)
                .filter(distances -> column < distances.size())
                .map(distances -> distances.get(column))
                .orElse(from == to ? 10 : 20);
    }

    private int nodeOf(int cpu) {
        return topology.numaNodes().stream()
                .filter(node -> node.cpus().contains(cpu))
                .map(NumaNode::index)
                .findFirst()
                .orElse(0);
    }

    /** What mbind and set_mempolicy say to these arguments; empty: the policy that is in force then. */
    Optional<Errno> check(MemoryPolicy policy, NumaNodeSet numaNodes) {
        boolean noneAllowed = numaNodes.and(memsAllowed).isEmpty();
        boolean valid = switch (policy) {
            case DEFAULT, LOCAL -> numaNodes.isEmpty();
            case PREFERRED -> numaNodes.isEmpty() || !noneAllowed;
            case BIND, INTERLEAVE, PREFERRED_MANY, WEIGHTED_INTERLEAVE -> !noneAllowed;
        };
        return valid ? Optional.empty() : Optional.of(Errno.EINVAL);
    }
}
