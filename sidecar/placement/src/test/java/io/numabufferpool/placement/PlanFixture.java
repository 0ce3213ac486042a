package io.numabufferpool.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One file of {@code plans/}: a machine, a container and a pool, a line {@code =>}, and what the planner makes of them.
 *
 * @param given the lines above {@code =>}
 * @param expected the lines below
 */
record PlanFixture(Path file, String given, String expected) {
    private static final String DIVIDER = "=>\n";

    static PlanFixture read(Path file) throws IOException {
        var text = Files.readString(file);
        int divider = text.indexOf(DIVIDER);
        return divider < 0
                ? new PlanFixture(file, text, "")
                : new PlanFixture(file, text.substring(0, divider), text.substring(divider + DIVIDER.length()));
    }

    void write(String outcome) throws IOException {
        Files.writeString(file, given + DIVIDER + outcome);
    }

    Observation observation() {
        var nodes = new ArrayList<NumaNode>();
        for (var line : lines("node ")) {
            int colon = line.indexOf(':');
            var fields = fields(line.substring(colon + 1));
            long free = Long.parseLong(fields.getOrDefault("huge", "0"));
            var pool = new NumaNode.HugePagePool(bytes(fields.getOrDefault("page", "2Mi")), free, free, 0);
            nodes.add(new NumaNode(
                    Integer.parseInt(line.substring("node ".length(), colon)),
                    CpuSet.parse(fields.getOrDefault("cpus", "")),
                    bytes(fields.getOrDefault("memory", "0")),
                    bytes(fields.getOrDefault("free", "0")),
                    List.of(pool),
                    numbers(fields.getOrDefault("distances", "")),
                    Integer.parseInt(fields.getOrDefault("weight", "0"))));
        }
        var container = fields(lines("container: ").getFirst().substring("container: ".length()));
        return new Observation(
                new NumaTopology(nodes),
                NumaNodeSet.parse(container.get("mems")),
                CpuSet.parse(container.get("cpus")),
                container.getOrDefault("mbind", "yes").equals("yes"),
                NumaNodeSet.parse(container.getOrDefault("taskPolicy", "")),
                container.getOrDefault("collapse", "yes").equals("yes"),
                container.getOrDefault("kernel", "6.12.0"),
                container.containsKey("limit") ? OptionalLong.of(bytes(container.get("limit"))) : OptionalLong.empty());
    }

    PlacementRequest request() {
        var pool = fields(lines("pool: ").getFirst().substring("pool: ".length()));
        long size = bytes(pool.get("size"));
        return new PlacementRequest(
                size,
                pool.containsKey("maxSize") ? bytes(pool.get("maxSize")) : size,
                bytes(pool.getOrDefault("bufferSize", "8Ki")),
                HugePageMode.valueOf(pool.getOrDefault("hugePages", "Transparent")),
                bytes(pool.getOrDefault("page", "2Mi")),
                PlacementPolicy.valueOf(pool.getOrDefault("policy", "Partitioned")),
                NodeSelection.parse(pool.getOrDefault("nodes", "Allowed")),
                pool.getOrDefault("memoryOnlyNodes", "Exclude").equals("Include"),
                Enforcement.valueOf(pool.getOrDefault("enforcement", "Strict")),
                Integer.parseInt(pool.getOrDefault("partitionsPerNode", "4")),
                weights(pool.getOrDefault("weights", "")));
    }

    /** {@code 0:3,1:1}. */
    private static SortedMap<Integer, Integer> weights(String list) {
        var weights = new TreeMap<Integer, Integer>();
        for (var pair : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            int colon = pair.indexOf(':');
            weights.put(Integer.valueOf(pair.substring(0, colon)), Integer.valueOf(pair.substring(colon + 1)));
        }
        return weights;
    }

    private List<String> lines(String start) {
        return given.lines().filter(line -> line.startsWith(start)).toList();
    }

    private static Map<String, String> fields(String text) {
        var fields = new HashMap<String, String>();
        for (var pair : text.strip().split(" +", -1)) {
            int equals = pair.indexOf('=');
            fields.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return fields;
    }

    private static List<Integer> numbers(String list) {
        return list.isEmpty()
                ? List.of()
                : List.of(list.split(",", -1)).stream().map(Integer::valueOf).toList();
    }

    private static long bytes(String text) {
        var units = List.of("Ki", "Mi", "Gi", "Ti");
        for (int i = 0; i < units.size(); i++) {
            if (text.endsWith(units.get(i))) {
                return Long.parseLong(text.substring(0, text.length() - 2)) << (10 * (i + 1));
            }
        }
        return Long.parseLong(text);
    }

    /** A plan as text: partitions of the same kind on one line. */
    static String render(PlacementOutcome outcome) {
        return switch (outcome) {
            case PlacementProblem problem -> "refused: " + problem.reason() + "\n" + problem.message() + "\n";
            case PlacementDecision decision -> render(decision);
        };
    }

    private static String render(PlacementDecision decision) {
        var text = new StringBuilder(
                "%s on nodes %s by %s\n".formatted(decision.policy(), decision.numaNodes(), decision.method()));
        for (var share : decision.shares()) {
            text.append("share of node %d: %s\n".formatted(share.numaNode(), ByteCount.asQuantity(share.bytes())));
        }
        for (var partition : decision.partitions()) {
            text.append("partition %d on %s at %s: %d of %d buffers\n"
                    .formatted(
                            partition.partition(),
                            partition.numaNode() < 0 ? "no single node" : "node " + partition.numaNode(),
                            ByteCount.asQuantity(partition.offsetBytes()),
                            partition.bufferCount(),
                            partition.bufferCapacity()));
        }
        for (var dropped : decision.dropped()) {
            text.append("without nodes %s: %s\n".formatted(dropped.numaNodes(), dropped.reason()));
        }
        return text.append("why: ").append(decision.why()).append('\n').toString();
    }

    @Override
    public String toString() {
        return file.getFileName().toString();
    }
}
