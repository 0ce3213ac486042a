package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaTopology;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each folder of {@code sysfs/} is a machine; its expected.txt is what we make of it. */
class NumaTopologyReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "two-sockets",
                "eight-nodes",
                "sub-numa",
                "cxl-memory-only",
                "two-sockets-one-without-memory",
                "holes-in-numbering",
                "thirty-four-nodes-two-with-cpus",
                "one-node",
                "no-numa"
            })
    void theTopologyOfAMachineIsAsWrittenBesideIt(String shape) throws Exception {
        var machine = SysfsShape.named(shape);

        var topology = machine.topology().read();

        assertThat(render(topology)).isEqualTo(Files.readString(machine.folder().resolve("expected.txt")));
    }

    @Test
    void aMachineOfOurOwnHasCpusAndMemory() {
        var topology = new NumaTopologyReader().read();

        assertThat(topology.numaNodes()).isNotEmpty();
        assertThat(topology.numaNodes()).anySatisfy(node -> {
            assertThat(node.cpus().isEmpty()).isFalse();
            assertThat(node.memoryBytes()).isPositive();
        });
    }

    @Test
    void aSandboxThatShowsNothingIsOneNodeZero(@TempDir Path empty) {
        var topology = new NumaTopologyReader(empty, empty).read();

        assertThat(render(topology)).isEqualTo("node 0: cpus \"\", 0 kB, 0 kB free, distances [10]\n");
    }

    @Test
    void withoutAnOnlineListTheFoldersCount(@TempDir Path sys) throws Exception {
        var folder = sys.resolve("devices/system/node");
        Files.createDirectories(folder.resolve("node3"));
        Files.createDirectories(folder.resolve("node1"));
        Files.createDirectories(folder.resolve("power"));

        assertThat(new NumaTopologyReader(sys, sys).read().all()).hasToString("1,3");
    }

    @Test
    void weightsForInterleavingAreReadWhereTheKernelHasThem(@TempDir Path sys) throws Exception {
        for (int node = 0; node < 3; node++) {
            Files.createDirectories(sys.resolve("devices/system/node/node" + node));
        }
        var weights = Files.createDirectories(sys.resolve("kernel/mm/mempolicy/weighted_interleave"));
        Files.writeString(weights.resolve("node0"), "5\n");
        Files.writeString(weights.resolve("node1"), "Y\n");

        var topology = new NumaTopologyReader(sys, sys).read();

        assertThat(topology.numaNodes().stream().map(NumaNode::interleaveWeight))
                .containsExactly(5, NumaNode.WEIGHT_UNKNOWN, NumaNode.WEIGHT_UNKNOWN);
    }

    @Test
    void aNodeThatWentAwayWhileWeReadIsNotThere(@TempDir Path sys) throws Exception {
        var folder = sys.resolve("devices/system/node");
        Files.createDirectories(folder.resolve("node0"));
        Files.writeString(folder.resolve("online"), "0-1\n");
        Files.writeString(folder.resolve("node0/distance"), "10 20\n");

        var topology = new NumaTopologyReader(sys, sys).read();

        assertThat(topology.all()).hasToString("0");
        assertThat(topology.numaNodes().getFirst().distances()).isEmpty();
    }

    @Test
    void aFileThatNoKernelWritesIsNamed(@TempDir Path sys) throws Exception {
        var folder = sys.resolve("devices/system/node");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("online"), "zero to three\n");

        assertThatThrownBy(() -> new NumaTopologyReader(sys, sys).read())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(folder.resolve("online").toString())
                .hasMessageContaining("zero to three");
    }

    private static String render(NumaTopology topology) {
        return topology.numaNodes().stream().map(NumaTopologyReaderTest::render).collect(Collectors.joining());
    }

    private static String render(NumaNode node) {
        var pools = node.hugePages().stream()
                .map(pool -> ", %d kB pages: %d, %d free, %d surplus"
                        .formatted(pool.pageBytes() / 1024, pool.totalPages(), pool.freePages(), pool.surplusPages()))
                .collect(Collectors.joining());
        return "node %d: cpus \"%s\", %d kB, %d kB free%s, distances %s\n"
                .formatted(
                        node.index(),
                        node.cpus(),
                        node.memoryBytes() / 1024,
                        node.freeBytes() / 1024,
                        pools,
                        node.distances());
    }
}
