package io.numabufferpool.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where a first touch lands, compared with what Linux 6.12 did: a process bound to one CPU of a node, in a cpuset with these
 * memory nodes, touched 64 pages and read its numa_maps. Every node with CPUs, every set of memory nodes.
 */
class ZoneListsTest {
    @ParameterizedTest
    @ValueSource(strings = {"/zone-lists/four-nodes-and-one-without-cpus.txt", "/zone-lists/six-nodes.txt"})
    void aFirstTouchLandsWhereTheKernelPutIt(String recording) {
        var lines = lines(recording);
        var topology = topology(lines);
        var different = new ArrayList<String>();
        int compared = 0;
        for (var line : lines) {
            if (line.startsWith("touch on ")) {
                var words = line.split("[ ,:]+", 5);
                int from = Integer.parseInt(words[2]);
                var rest = words[4].split(": ", 2);
                var allowed = NumaNodeSet.parse(rest[0]);
                var cpus = topology.find(from).orElseThrow().cpus();
                var observation = new Observation(
                        topology, allowed, cpus, false, NumaNodeSet.empty(), true, "6.12.0", OptionalLong.empty());
                var reachable = Reachability.of(observation).reachable();
                compared++;
                if (!reachable.toString().equals(rest[1])) {
                    different.add(line + ", planned " + reachable);
                }
            }
        }

        assertThat(different).isEmpty();
        assertThat(compared).isGreaterThan(100);
    }

    private static NumaTopology topology(List<String> lines) {
        var nodes = new ArrayList<NumaNode>();
        for (var line : lines) {
            if (line.startsWith("node ")) {
                var fields = line.split("[: =]+", -1);
                var cpus = line.replaceAll(".*cpus=(\\S*) .*", "$1");
                var distances = line.replaceAll(".*distances=", "");
                nodes.add(new NumaNode(
                        Integer.parseInt(fields[1]),
                        CpuSet.parse(cpus),
                        1L << 30,
                        0,
                        List.of(),
                        Arrays.stream(distances.split(",", -1))
                                .map(Integer::valueOf)
                                .toList()));
            }
        }
        return new NumaTopology(nodes);
    }

    private static List<String> lines(String resource) {
        try (var in = ZoneListsTest.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
