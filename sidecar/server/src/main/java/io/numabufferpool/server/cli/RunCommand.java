package io.numabufferpool.server.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.crds.AdoptKind;
import io.numabufferpool.crds.Quantity;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.ObservationReader;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementProblem;
import io.numabufferpool.server.adopt.AdoptEnvironment;
import io.numabufferpool.server.adopt.AdoptLibrary;
import io.numabufferpool.server.adopt.AdoptRequest;
import io.numabufferpool.server.adopt.NodeWords;
import io.numabufferpool.server.adopt.SegmentReports;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code numapool run -- COMMAND}: an unmodified program whose own shared memory is placed, like numactl, but only the segment. */
@Command(
        name = "run",
        description = {
            "Runs an unmodified program and places the shared memory that it allocates, and only that, on NUMA nodes, in 2 MiB",
            "pages where possible. When it ends, a table on stderr shows where every page really lay."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "N:the program's own; 128 and the signal's number where a signal ended it",
            "1:nothing could be placed, the program was not started; the last line says why",
            "2:wrong words",
            "127:the program could not be started"
        })
final class RunCommand implements Callable<Integer> {
    /** As shells answer for a command that is not there. */
    private static final int CANNOT_START = 127;

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Option(
            names = "--nodes",
            paramLabel = "NODES",
            defaultValue = "auto",
            description = "off: only look; all; auto: those this process may use; =0,1 or 0-3: memory of these;"
                    + " @1: memory and CPUs of it. Default: auto.")
    @SuppressWarnings("NullAway.Init")
    private String nodes;

    @Option(
            names = "--policy",
            defaultValue = "Interleave",
            description = "One of ${COMPLETION-CANDIDATES}. Default: Interleave, in stripes of 2 MiB.")
    @SuppressWarnings("NullAway.Init")
    private PlacementPolicy policy;

    @Option(
            names = "--weights",
            split = ",",
            paramLabel = "NODE=WEIGHT",
            description = "For WeightedInterleave, 1 to 255. Default: the kernel's, else equal.")
    private Map<Integer, Integer> weights = Map.of();

    @Option(
            names = "--huge-pages",
            defaultValue = "Transparent",
            description = "Transparent: 2 MiB pages with nothing reserved; Reserved, Never: as the program asks."
                    + " Default: Transparent.")
    @SuppressWarnings("NullAway.Init")
    private HugePageMode hugePages;

    @Option(
            names = "--min-size",
            paramLabel = "SIZE",
            defaultValue = "64Mi",
            description = "Smaller segments stay as they are. Default: 64Mi.")
    @SuppressWarnings("NullAway.Init")
    private String minSize;

    @Option(
            names = "--kinds",
            split = ",",
            paramLabel = "KIND",
            description = "Some of ${COMPLETION-CANDIDATES}. Default: all but Private.")
    private Set<AdoptKind> kinds = EnumSet.complementOf(EnumSet.of(AdoptKind.Private));

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write what became of each segment there, instead of the table.")
    private @Nullable Path json;

    @Option(
            names = "--library",
            paramLabel = "FILE",
            description = "A libnumapool_adopt.so other than the one packed into this program.")
    private @Nullable Path library;

    @Parameters(arity = "1..*", paramLabel = "-- COMMAND ARG", description = "The program, behind two dashes.")
    private List<String> command = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        var request = request();
        var observation = new ObservationReader(new JnaLinux()).read();
        var decision = switch (request.plan(observation)) {
            case PlacementDecision good -> good;
            case PlacementProblem problem -> throw new CommandFailed(ExitStatus.FAILED, problem.message());
        };
        try (var unpacked = library == null ? AdoptLibrary.unpack() : AdoptLibrary.copy(library)) {
            var builder = new ProcessBuilder(command).inheritIO();
            var environment = builder.environment();
            environment.putAll(AdoptEnvironment.of(
                    request,
                    decision,
                    observation,
                    unpacked.file(),
                    environment.get("LD_PRELOAD"),
                    unpacked.reports()));
            int status = run(builder);
            show(SegmentReports.read(unpacked.reports()), request);
            return status;
        } catch (AdoptLibrary.Unavailable | IllegalArgumentException unavailable) {
            throw new CommandFailed(ExitStatus.FAILED, String.valueOf(unavailable.getMessage()));
        }
    }

    private AdoptRequest request() {
        try {
            return new AdoptRequest(
                    NodeWords.parse(nodes),
                    policy,
                    new TreeMap<>(weights),
                    hugePages,
                    Quantity.parse("--min-size", minSize),
                    kinds);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }

    private int run(ProcessBuilder builder) {
        var signals = ForwardedSignals.begin(Terminal.of(0).interactive());
        Process program;
        try {
            program = builder.start();
        } catch (IOException missing) {
            throw new CommandFailed(
                    CANNOT_START, "cannot start " + command.getFirst() + ": " + missing.getMessage() + ".");
        }
        signals.to(program);
        return program.onExit().join().exitValue();
    }

    private void show(SegmentReports found, AdoptRequest request) {
        if (json != null) {
            try {
                JSON.writeValue(json.toFile(), found);
            } catch (IOException e) {
                throw new CommandFailed(
                        ExitStatus.FAILED, "--json " + json + " cannot be written: " + e.getMessage() + ".");
            }
            return;
        }
        PrintWriter err = spec.commandLine().getErr();
        new RunText(found, request.minBytes()).lines().forEach(err::println);
        err.flush();
    }
}
