package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.linux.KernelSettings;
import io.numabufferpool.linux.SysfsShape;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementProblem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines of real shapes through reader, planner and drawing: {@code nodes-SHAPE-WIDTH.txt}. */
class NodesTextTest {
    private static final String SIZE = "1Gi";

    private static final KernelSettings QUIET = new KernelSettings(
            Optional.of("0"),
            Optional.of("0"),
            Optional.of("false"),
            Optional.of("madvise"),
            Optional.of("never"),
            false);
    private static final KernelSettings RESTLESS = new KernelSettings(
            Optional.of("1"), Optional.of("1"), Optional.of("true"), Optional.of("always"), Optional.of("never"), true);

    private static NodesReport report(String shape, boolean mbind) {
        var topology = SysfsShape.named(shape).topology().read();
        var withMemory = NumaNodeSet.of(topology.numaNodes().stream()
                .filter(node -> node.memoryBytes() > 0)
                .mapToInt(NumaNode::index)
                .toArray());
        var cpus = topology.numaNodes().stream().map(NumaNode::cpus).reduce(CpuSet.empty(), CpuSet::or);
        var seen = new Observation(
                topology,
                withMemory,
                cpus,
                mbind,
                NumaNodeSet.empty(),
                mbind,
                mbind ? "6.12.0" : "5.15.0",
                OptionalLong.empty());
        var observation = PlacementMapping.toApi(seen, null);
        var findings = Preflight.findings(mbind ? QUIET : RESTLESS, observation, mbind);
        return switch (PlacementPlanner.plan(PlacementMapping.toRequest(NumaBufferPoolSpec.ofSize(SIZE)), seen)) {
            case PlacementDecision decision ->
                new NodesReport(
                        65532,
                        mbind ? 0 : 2,
                        observation,
                        "example",
                        SIZE,
                        PlacementMapping.toApi(decision, DecidedBy.Sidecar),
                        null,
                        findings);
            case PlacementProblem problem ->
                new NodesReport(
                        65532,
                        mbind ? 0 : 2,
                        observation,
                        "example",
                        SIZE,
                        null,
                        new PlacementAnswer.Problem(problem.reason().name(), problem.message()),
                        findings);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "eight-nodes, true, 80",
        "eight-nodes, true, 120",
        "two-sockets, false, 80",
        "two-sockets, false, 120",
        "sub-numa, true, 120",
        "cxl-memory-only, false, 120",
        "two-sockets-one-without-memory, true, 120",
        "holes-in-numbering, false, 120",
        "thirty-four-nodes-two-with-cpus, true, 120",
        "one-node, false, 80",
        "no-numa, false, 80"
    })
    void aMachineIsDrawnForTheWidthOfTheTerminal(String shape, boolean mbind, int columns) throws Exception {
        var report = report(shape, mbind);

        var drawn = String.join("\n", new NodesText(report, new Terminal(false, columns)).lines()) + "\n";

        var golden = Path.of(
                System.getProperty("numapool.root"),
                "sidecar/server/src/test/resources/cli",
                "nodes-" + shape + "-" + columns + ".txt");
        if (Boolean.getBoolean("numapool.render")) {
            Files.writeString(golden, drawn);
        }
        assertThat(drawn).isEqualTo(Files.readString(golden, StandardCharsets.UTF_8));
        assertThat(report.clean())
                .isEqualTo(mbind || report.observation().numaNodes().size() == 1);
    }
}
