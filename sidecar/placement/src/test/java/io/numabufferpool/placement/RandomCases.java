package io.numabufferpool.placement;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Small machines, containers and pools, drawn from a seed: small enough to try everything, odd enough to matter. */
final class RandomCases {
    private static final long MI = 1L << 20;
    private static final int[] NODE_NUMBERS = {0, 1, 2, 3, 4, 8};

    private final Random random;

    RandomCases(long seed) {
        this.random = new Random(seed);
    }

    record Case(PlacementRequest request, Observation observation) {}

    Case next() {
        var topology = topology();
        return new Case(request(topology), observation(topology));
    }

    private NumaTopology topology() {
        var numbers = new TreeSet<Integer>();
        int count = 1 + random.nextInt(5);
        while (numbers.size() < count) {
            numbers.add(NODE_NUMBERS[random.nextInt(NODE_NUMBERS.length)]);
        }
        boolean kernelHasWeights = random.nextBoolean();
        var nodes = new ArrayList<NumaNode>();
        for (int number : numbers) {
            boolean memoryOnly = random.nextInt(6) == 0;
            var cpus = memoryOnly ? CpuSet.empty() : CpuSet.of(2 * number, 2 * number + 1);
            long memory = !memoryOnly && random.nextInt(8) == 0 ? 0 : (1 + random.nextInt(64)) * MI;
            long free = random.nextInt(12);
            nodes.add(new NumaNode(
                    number,
                    cpus,
                    memory,
                    memory * random.nextInt(9) / 8,
                    List.of(new NumaNode.HugePagePool(2 * MI, 12, free, 0)),
                    distances(number, numbers),
                    kernelHasWeights ? 1 + random.nextInt(5) : NumaNode.WEIGHT_UNKNOWN));
        }
        return new NumaTopology(nodes);
    }

    private List<Integer> distances(int from, Set<Integer> numbers) {
        if (random.nextInt(10) == 0) {
            return List.of();
        }
        return numbers.stream()
                .map(to -> to == from ? 10 : 12 + random.nextInt(3))
                .toList();
    }

    private Observation observation(NumaTopology topology) {
        int[] present = topology.all().stream().toArray();
        var mems = new TreeSet<Integer>();
        for (int number : present) {
            if (random.nextInt(4) != 0) {
                mems.add(number);
            }
        }
        if (random.nextInt(10) == 0) {
            mems.add(9);
        }
        var cpus = new TreeSet<Integer>();
        topology.numaNodes().stream()
                .flatMap(node -> node.cpus().stream().boxed())
                .filter(_ -> random.nextInt(3) != 0)
                .forEach(cpus::add);
        boolean policy = random.nextInt(5) == 0;
        return new Observation(
                topology,
                set(mems),
                CpuSet.of(cpus.stream().mapToInt(Integer::intValue).toArray()),
                random.nextBoolean(),
                policy ? NumaNodeSet.of(present[random.nextInt(present.length)], present[0]) : NumaNodeSet.empty(),
                random.nextBoolean(),
                "6.12.0",
                random.nextInt(8) == 0 ? OptionalLong.of((1 + random.nextInt(40)) * MI) : OptionalLong.empty());
    }

    private PlacementRequest request(NumaTopology topology) {
        long size = (1L + random.nextInt(20)) * 2 * MI;
        long maxSize = random.nextInt(3) == 0 ? size + random.nextLong(20) * 2 * MI : size;
        var policy = pick(PlacementPolicy.class);
        var selection = selection(topology);
        return new PlacementRequest(
                size,
                maxSize,
                4096L << random.nextInt(5),
                pick(HugePageMode.class),
                2 * MI,
                policy,
                selection,
                random.nextInt(3) == 0,
                pick(Enforcement.class),
                1 + random.nextInt(8),
                weights(policy, topology, selection));
    }

    /** Mostly such as make sense. */
    private SortedMap<Integer, Integer> weights(
            PlacementPolicy policy, NumaTopology topology, NodeSelection selection) {
        var weights = new TreeMap<Integer, Integer>();
        boolean given = policy == PlacementPolicy.WeightedInterleave ? random.nextBoolean() : random.nextInt(40) == 0;
        if (!given) {
            return weights;
        }
        topology.all().stream()
                .filter(node -> !(selection instanceof NodeSelection.Listed(var listed)) || listed.contains(node))
                .filter(_ -> random.nextInt(4) != 0)
                .forEach(node -> weights.put(node, 1 + random.nextInt(5)));
        switch (random.nextInt(20)) {
            case 0 -> weights.put(0, 0);
            case 1 -> weights.put(8, 256);
            case 2 -> weights.put(3, -1);
            case 3 -> weights.put(4, PlacementRequest.WEIGHT_MAX);
            default -> {}
        }
        return weights;
    }

    private <E extends Enum<E>> E pick(Class<E> type) {
        var values = List.copyOf(EnumSet.allOf(type));
        return values.get(random.nextInt(values.size()));
    }

    private NodeSelection selection(NumaTopology topology) {
        return switch (random.nextInt(4)) {
            case 0 -> new NodeSelection.All();
            case 1 -> {
                var listed = new TreeSet<Integer>();
                topology.all().stream().filter(_ -> random.nextBoolean()).forEach(listed::add);
                if (random.nextInt(10) == 0) {
                    listed.add(7);
                }
                yield new NodeSelection.Listed(set(listed));
            }
            default -> new NodeSelection.Allowed();
        };
    }

    private static NumaNodeSet set(Set<Integer> numbers) {
        return NumaNodeSet.of(numbers.stream().mapToInt(Integer::intValue).toArray());
    }
}
