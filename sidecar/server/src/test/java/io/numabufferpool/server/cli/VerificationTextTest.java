package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.server.report.VerificationDocument;
import io.numabufferpool.server.report.VerificationDocument.NodeBytes;
import io.numabufferpool.server.report.VerificationDocument.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerificationTextTest {
    private static final long MIB = 1L << 20;

    private static Row onNode(String name, int node, List<NodeBytes> placed, long spilled) {
        return new Row("buffers", name, 4 * MIB, List.of(new NodeBytes(node, 4 * MIB)), placed, spilled, 0);
    }

    private static VerificationDocument document(boolean asDecided, Row... partitions) {
        return new VerificationDocument(
                "orders",
                "1f",
                "2026-12-01T08:00:00Z",
                "Partitioned",
                "0-1",
                asDecided,
                List.of(partitions),
                List.of(partitions));
    }

    @Test
    void aSegmentThatLiesAsDecidedIsSaidInOneSentence() {
        var text = new VerificationText(
                document(
                        true,
                        onNode("partition 0", 0, List.of(new NodeBytes(0, 4 * MIB)), 0),
                        onNode("partition 1", 1, List.of(new NodeBytes(1, 4 * MIB)), 0)),
                120);

        assertThat(String.join("\n", text.lines())).isEqualTo("""
                PART OF THE SEGMENT   SIZE  NODE  ON NODE 0  ON NODE 1  ELSEWHERE
                partition 0          4 MiB     0      4 MiB          -          -
                partition 1          4 MiB     1          -      4 MiB          -

                Pool orders, Partitioned on NUMA nodes 0-1, counted 2026-12-01T08:00:00Z: all 8 MiB lie where they were decided to lie.""");
    }

    @Test
    void aSpilledPartitionShowsHowMuchLiesElsewhereAndWhatToDo() {
        var text = new VerificationText(
                document(
                        false,
                        onNode(
                                "partition 0",
                                0,
                                List.of(new NodeBytes(0, 2 * MIB), new NodeBytes(1, 2 * MIB)),
                                2 * MIB)),
                80);

        assertThat(text.lines()).contains("partition 0          4 MiB     0      2 MiB      2 MiB      2 MiB");
        assertThat(String.join(" ", text.lines()).replaceAll(" +", " "))
                .contains("2 MiB of 4 MiB lie elsewhere. Free memory on the wanted");
    }

    /** 34 nodes are no columns. */
    @Test
    void manyNodesAreAList() {
        var placed = java.util.stream.IntStream.range(0, 34)
                .mapToObj(node -> new NodeBytes(node, MIB))
                .toList();
        var row = new Row("buffers", "partition 0", 34 * MIB, placed, placed, 0, 0);

        var lines = new VerificationText(document(true, row), 80).lines();

        assertThat(lines.getFirst()).contains("HELD BY NODES");
        assertThat(lines.get(1)).contains("spread").contains("0,1,2,3");
    }
}
