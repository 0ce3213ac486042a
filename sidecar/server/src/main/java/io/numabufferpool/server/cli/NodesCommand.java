package io.numabufferpool.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.KernelSettings;
import io.numabufferpool.linux.ObservationReader;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.server.config.InvalidSettings;
import io.numabufferpool.server.config.PoolFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code numapool nodes}: the machine's NUMA nodes as this process may use them, and where a pool would lie. */
@Command(
        name = "nodes",
        description = {
            "Shows the NUMA nodes of this machine and where a pool would be placed.",
            "Also which of them this process may use and by what right, and what would move pages away. Changes nothing."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:shown",
            "1:the kernel did not say; with --check: something has to change",
            "2:wrong words, or a file that describes no valid pool"
        })
final class NodesCommand implements Callable<Integer> {
    /** Large enough to be spread, small enough for every machine. */
    private static final String EXAMPLE_SIZE = "1Gi";

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Plan for this NumaBufferPool. Default: one of " + EXAMPLE_SIZE + " with every default.")
    private @Nullable Path file;

    @Option(
            names = "--check",
            description = "For scripts: exit status 1 where the pool could not be placed, or a setting does it harm.")
    private boolean check;

    @Option(names = "--json", description = "Everything as JSON instead of tables.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        var report = look();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(render(report));
        } else {
            new NodesText(report, Terminal.of(1)).lines().forEach(out::println);
        }
        out.flush();
        return check && !report.clean() ? ExitStatus.FAILED : ExitStatus.OK;
    }

    private NodesReport look() {
        var name = "example";
        var poolSpec = NumaBufferPoolSpec.ofSize(EXAMPLE_SIZE);
        if (file != null) {
            try {
                var pool = PoolFile.read(file);
                name = pool.name();
                poolSpec = pool.spec();
            } catch (InvalidSettings wrong) {
                throw new CommandFailed(ExitStatus.USAGE, String.valueOf(wrong.getMessage()));
            }
        }
        var linux = new JnaLinux();
        var process = linux.processStatus();
        var seen = new ObservationReader(linux).read();
        var observation = PlacementMapping.toApi(seen, null);
        var findings = Preflight.findings(
                KernelSettings.read(), observation, linux.taskPolicy().isPresent());
        var size = Objects.requireNonNull(poolSpec.size());
        return switch (PlacementPlanner.plan(PlacementMapping.toRequest(poolSpec), seen)) {
            case PlacementDecision decision ->
                new NodesReport(
                        process.uid(),
                        process.seccompMode(),
                        observation,
                        name,
                        size,
                        PlacementMapping.toApi(decision, DecidedBy.Sidecar),
                        null,
                        findings);
            case PlacementProblem problem ->
                new NodesReport(
                        process.uid(),
                        process.seccompMode(),
                        observation,
                        name,
                        size,
                        null,
                        new PlacementAnswer.Problem(problem.reason().name(), problem.message()),
                        findings);
        };
    }

    private static String render(NodesReport report) {
        try {
            return JSON.writeValueAsString(report);
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("the report cannot be written as JSON", bug);
        }
    }
}
