package io.numabufferpool.placement;

import static io.numabufferpool.placement.PlacementReason.InsufficientHugePages;
import static io.numabufferpool.placement.PlacementReason.InsufficientMemory;
import static io.numabufferpool.placement.PlacementReason.InvalidSpec;
import static io.numabufferpool.placement.PlacementReason.MemoryLimitTooSmall;
import static io.numabufferpool.placement.PlacementReason.MemoryOnlyNode;
import static io.numabufferpool.placement.PlacementReason.NoNumaNode;
import static io.numabufferpool.placement.PlacementReason.NumaNodeNotAllowed;
import static io.numabufferpool.placement.PlacementReason.NumaNodeNotPresent;
import static io.numabufferpool.placement.PlacementReason.NumaNodeUnreachable;
import static io.numabufferpool.placement.PlacementReason.NumaNodeWithoutMemory;
import static io.numabufferpool.placement.PlacementReason.PoolTooSmall;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * The same rules written the slow, plain way, to compare the planner with: sets of integers, every subset tried, pages and
 * buffers dealt out one at a time, zone lists built by choosing the best remaining node again and again as the kernel does.
 */
final class ReferencePlan {
    private final PlacementRequest request;
    private final Observation observation;
    private final Set<Integer> present = new TreeSet<>();
    private final Set<Integer> withMemory = new TreeSet<>();
    private final Set<Integer> withCpus = new TreeSet<>();
    private final Set<Integer> allowed = new TreeSet<>();
    private final Set<Integer> reachable = new TreeSet<>();

    Optional<PlacementReason> refused = Optional.empty();
    NavigableSet<Integer> numaNodes = new TreeSet<>();
    final SortedMap<Integer, Long> pages = new TreeMap<>();

    ReferencePlan(PlacementRequest request, Observation observation) {
        this.request = request;
        this.observation = observation;
        for (var node : observation.topology().numaNodes()) {
            present.add(node.index());
            if (node.memoryBytes() > 0) {
                withMemory.add(node.index());
            }
            if (!node.cpus().isEmpty()) {
                withCpus.add(node.index());
            }
        }
        withMemory.stream().filter(n -> observation.memsAllowed().contains(n)).forEach(allowed::add);
        findReachable();
        decide();
    }

    private void decide() {
        boolean none = request.policy() == PlacementPolicy.None;
        boolean strict = request.enforcement() == Enforcement.Strict;
        if (strict && (none || request.policy() == PlacementPolicy.Preferred)) {
            refused = Optional.of(InvalidSpec);
            return;
        }
        if (!weightsMakeSense()) {
            refused = Optional.of(InvalidSpec);
            return;
        }
        if (request.nodes() instanceof NodeSelection.Listed listed
                && listed.numaNodes().isEmpty()) {
            refused = Optional.of(NoNumaNode);
            return;
        }
        if (none && !(request.nodes() instanceof NodeSelection.Allowed)) {
            refused = Optional.of(InvalidSpec);
            return;
        }
        chooseNodes();
        if (refused.isPresent()) {
            return;
        }
        long pageCount = request.sizeBytes() / request.hugePageBytes();
        switch (request.policy()) {
            case None -> {}
            case Partitioned, Interleave -> dealPages(pageCount);
            case WeightedInterleave -> dealWeighted(pageCount);
            case Bind, Preferred -> fillPages(pageCount);
        }
        if (refused.isEmpty()) {
            refused = shortage(pageCount);
        }
    }

    private void chooseNodes() {
        if (request.policy() == PlacementPolicy.None) {
            numaNodes.addAll(allowed);
        } else if (request.nodes() instanceof NodeSelection.Allowed) {
            numaNodes = largest(n -> allowed.contains(n) && notExcluded(n) && reachable.contains(n));
        } else if (request.nodes() instanceof NodeSelection.All) {
            numaNodes = largest(n -> withMemory.contains(n) && notExcluded(n));
            refuseUnless(numaNodes, allowed, NumaNodeNotAllowed);
            refuseUnless(numaNodes, reachable, NumaNodeUnreachable);
        } else if (request.nodes() instanceof NodeSelection.Listed listed) {
            listed.numaNodes().stream().forEach(numaNodes::add);
            refuseUnless(numaNodes, present, NumaNodeNotPresent);
            refuseUnless(numaNodes, withMemory, NumaNodeWithoutMemory);
            refuseUnless(numaNodes, largest(this::notExcluded), MemoryOnlyNode);
            refuseUnless(numaNodes, allowed, NumaNodeNotAllowed);
            refuseUnless(numaNodes, reachable, NumaNodeUnreachable);
        }
        if (numaNodes.isEmpty() && refused.isEmpty()) {
            refused = Optional.of(NoNumaNode);
        }
    }

    private boolean notExcluded(int numaNode) {
        return request.memoryOnlyNodes() || withCpus.contains(numaNode) || !withMemory.contains(numaNode);
    }

    private void refuseUnless(Set<Integer> wanted, Set<Integer> may, PlacementReason reason) {
        if (refused.isEmpty() && !may.containsAll(wanted)) {
            refused = Optional.of(reason);
        }
    }

    /** The largest subset of the machine whose every node keeps the rule. */
    private NavigableSet<Integer> largest(IntPredicate rule) {
        var all = new ArrayList<>(present);
        NavigableSet<Integer> best = new TreeSet<>();
        for (int mask = 0; mask < 1 << all.size(); mask++) {
            var subset = new TreeSet<Integer>();
            for (int i = 0; i < all.size(); i++) {
                if ((mask >> i & 1) == 1) {
                    subset.add(all.get(i));
                }
            }
            if (subset.size() > best.size() && subset.stream().allMatch(rule::test)) {
                best = subset;
            }
        }
        return best;
    }

    private boolean weightsMakeSense() {
        for (var entry : request.weights().entrySet()) {
            boolean listed = !(request.nodes() instanceof NodeSelection.Listed nodes)
                    || nodes.numaNodes().contains(entry.getKey());
            boolean inRange = List.of(1, 2, 3, 4, 5, 255).contains(entry.getValue());
            if (!listed || !inRange || request.policy() != PlacementPolicy.WeightedInterleave) {
                return false;
            }
        }
        return true;
    }

    private void dropWhatGetsNoPage(long pageCount) {
        if (pageCount < numaNodes.size() && !(request.nodes() instanceof NodeSelection.Allowed)) {
            refused = Optional.of(PoolTooSmall);
        }
        while (pageCount < numaNodes.size()) {
            numaNodes.remove(numaNodes.last());
        }
    }

    private void dealPages(long pageCount) {
        dropWhatGetsNoPage(pageCount);
        var turn = new ArrayList<>(numaNodes);
        for (long page = 0; page < pageCount; page++) {
            pages.merge(turn.get((int) (page % turn.size())), 1L, Long::sum);
        }
    }

    /** Page by page: to a node that has none yet, else to the one that lacks most, as a fraction of the cycle so far. */
    private void dealWeighted(long pageCount) {
        dropWhatGetsNoPage(pageCount);
        var weights = new TreeMap<Integer, Integer>();
        boolean kernelKnows = numaNodes.stream()
                .allMatch(n -> observation.topology().find(n).orElseThrow().interleaveWeight() > 0);
        for (int n : numaNodes) {
            int kernels =
                    kernelKnows ? observation.topology().find(n).orElseThrow().interleaveWeight() : 1;
            weights.put(
                    n, request.weights().isEmpty() ? kernels : request.weights().getOrDefault(n, 1));
        }
        var hand = new TreeMap<>(weights);
        for (long page = 0; page < pageCount; page++) {
            if (hand.values().stream().allMatch(left -> left == 0)) {
                hand.putAll(weights);
            }
            var givenInCycle = new TreeMap<Integer, Integer>();
            hand.forEach((n, left) -> givenInCycle.put(n, weights.get(n) - left));
            int reached =
                    givenInCycle.values().stream().mapToInt(Integer::intValue).sum() + 1;
            int total = weights.values().stream().mapToInt(Integer::intValue).sum();
            int best = -1;
            var bestLack = BigDecimal.valueOf(Long.MIN_VALUE);
            for (int n : numaNodes) {
                var lack = BigDecimal.valueOf((long) weights.get(n) * reached)
                        .subtract(BigDecimal.valueOf((long) givenInCycle.get(n) * total));
                boolean first = page < numaNodes.size();
                boolean may = first ? !pages.containsKey(n) : hand.get(n) > 0;
                if (may && best >= 0 && first) {
                    continue;
                }
                if (may && lack.compareTo(bestLack) > 0) {
                    best = n;
                    bestLack = lack;
                }
            }
            hand.merge(best, -1, Integer::sum);
            pages.merge(best, 1L, Long::sum);
        }
    }

    /** Page by page to the lowest node with a free one, then to the lowest with any, then to where it will not fit. */
    private void fillPages(long pageCount) {
        for (long page = 0; page < pageCount; page++) {
            int overflow = request.policy() == PlacementPolicy.Bind ? numaNodes.last() : numaNodes.first();
            int chosen = numaNodes.stream()
                    .filter(n -> hasRoom(n, true))
                    .findFirst()
                    .or(() -> numaNodes.stream().filter(n -> hasRoom(n, false)).findFirst())
                    .orElse(overflow);
            pages.merge(chosen, 1L, Long::sum);
        }
        numaNodes.retainAll(pages.keySet());
    }

    private boolean hasRoom(int numaNode, boolean onlyFree) {
        var node = observation.topology().find(numaNode).orElseThrow();
        long page = request.hugePageBytes();
        long after = (pages.getOrDefault(numaNode, 0L) + 1) * page;
        if (request.hugePageMode() == HugePageMode.Reserved) {
            return after <= node.freeHugePages(page) * page;
        }
        return after <= (onlyFree ? node.freeBytes() - node.memoryBytes() / 16 : node.memoryBytes());
    }

    private Optional<PlacementReason> shortage(long pageCount) {
        boolean reserved = request.hugePageMode() == HugePageMode.Reserved;
        boolean strict = request.enforcement() == Enforcement.Strict;
        if (!reserved
                && observation.memoryLimitBytes().isPresent()
                && observation.memoryLimitBytes().getAsLong() <= request.sizeBytes()) {
            return Optional.of(MemoryLimitTooSmall);
        }
        long total = 0;
        boolean shortOnOne = false;
        for (var node : observation.topology().numaNodes()) {
            long has = reserved
                    ? node.freeHugePages(request.hugePageBytes()) * request.hugePageBytes()
                    : node.memoryBytes();
            total += observation.memsAllowed().contains(node.index()) ? has : 0;
            shortOnOne |= has < pages.getOrDefault(node.index(), 0L) * request.hugePageBytes();
        }
        boolean shortInAll = total < pageCount * request.hugePageBytes();
        if (shortInAll || (strict && shortOnOne)) {
            return Optional.of(reserved ? InsufficientHugePages : InsufficientMemory);
        }
        return Optional.empty();
    }

    private void findReachable() {
        var bound = new TreeSet<>(allowed);
        bound.removeIf(n -> !observation.taskPolicyNodes().contains(n));
        if (observation.mbindAllowed() || allowed.size() == 1) {
            reachable.addAll(allowed);
        } else if (!bound.isEmpty()) {
            reachable.addAll(bound);
        } else {
            reachable.addAll(touched());
        }
    }

    private Set<Integer> touched() {
        var touched = new TreeSet<Integer>();
        var load = new TreeMap<Integer, Integer>();
        for (var node : observation.topology().numaNodes()) {
            var list = zoneList(node, load);
            boolean hasAllowedCpu = observation.cpusAllowed().stream().anyMatch(node.cpus()::contains);
            if (hasAllowedCpu) {
                list.stream().filter(allowed::contains).findFirst().ifPresent(touched::add);
            }
        }
        return touched;
    }

    /** find_next_best_node, called until nothing is left. */
    private List<Integer> zoneList(NumaNode from, SortedMap<Integer, Integer> load) {
        var list = new ArrayList<Integer>();
        var used = new HashSet<Integer>();
        int previous = from.index();
        while (used.size() < withMemory.size()) {
            int best = -1;
            long bestValue = Long.MAX_VALUE;
            if (!used.contains(from.index()) && withMemory.contains(from.index())) {
                best = from.index();
            } else {
                for (int n : withMemory) {
                    long value = (long) distance(from, n) + (n < from.index() ? 1 : 0) + (withCpus.contains(n) ? 1 : 0);
                    value = value * 1024 + load.getOrDefault(n, 0);
                    if (!used.contains(n) && value < bestValue) {
                        best = n;
                        bestValue = value;
                    }
                }
            }
            if (distance(from, best) != distance(from, previous)) {
                load.merge(best, 1, Integer::sum);
            }
            used.add(best);
            list.add(best);
            previous = best;
        }
        return list;
    }

    private int distance(NumaNode from, int to) {
        int position = new ArrayList<>(present).indexOf(to);
        if (position < from.distances().size()) {
            return from.distances().get(position);
        }
        return from.index() == to ? 10 : 20;
    }
}
