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
        if (request.policy() == PlacementPolicy.Bind || (none && request.enforcement() == Enforcement.Strict)) {
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
        if (request.policy() != PlacementPolicy.None) {
            dealPages(pageCount);
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

    private void dealPages(long pageCount) {
        if (pageCount < numaNodes.size()) {
            if (!(request.nodes() instanceof NodeSelection.Allowed)) {
                refused = Optional.of(PoolTooSmall);
                return;
            }
            while (pageCount < numaNodes.size()) {
                numaNodes.remove(numaNodes.last());
            }
        }
        var turn = new ArrayList<>(numaNodes);
        for (long page = 0; page < pageCount; page++) {
            pages.merge(turn.get((int) (page % turn.size())), 1L, Long::sum);
        }
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
