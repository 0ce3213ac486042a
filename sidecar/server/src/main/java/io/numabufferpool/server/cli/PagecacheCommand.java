package io.numabufferpool.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.NumaTopologyReader;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.server.pagecache.CacheReport;
import io.numabufferpool.server.pagecache.CacheSurvey;
import io.numabufferpool.server.segment.Progress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code numapool pagecache FILE...}: on which NUMA nodes the kernel keeps files, and how to spread them. */
@Command(
        name = "pagecache",
        description = {
            "Shows how much of each FILE the kernel keeps in memory, and on which NUMA nodes.",
            "Reads nothing in and changes nothing, but for --spread. Needs no rights beyond owning the file or being allowed to write"
                    + " it: the kernel tells nobody else what is in memory."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:every file was looked at",
            "1:a file could not be looked at or spread; the last lines say which and why",
            "2:wrong words"
        })
final class PagecacheCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description =
                    "Files, and folders for every file below them. Links are followed where named, not inside folders.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private List<Path> names;

    @Option(
            names = "--spread",
            description =
                    "First write back and drop each file's cache and read it again from every NUMA node in turn, so that it"
                            + " lies evenly. The cache is charged to the cgroup of this command.")
    private boolean spread;

    @Option(names = "--json", description = "One JSON document with every file instead of a table.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        CacheReport report;
        try {
            var linux = new JnaLinux();
            report = new CacheSurvey(linux, nodes(linux), progress()).look(names, spread);
        } catch (LinuxException failed) {
            throw new CommandFailed(ExitStatus.FAILED, failed.getMessage() + ".");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(render(report));
        } else {
            new PagecacheText(report, Terminal.of(1).columns()).lines().forEach(out::println);
        }
        out.flush();
        report.problems()
                .forEach(problem ->
                        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + problem.message()));
        return report.problems().isEmpty() ? ExitStatus.OK : ExitStatus.FAILED;
    }

    /** The nodes whose memory this process may use, with those of their CPUs that it may use. */
    private static SortedMap<Integer, CpuSet> nodes(Linux linux) {
        var process = linux.processStatus();
        var cpusOfNode = new TreeMap<Integer, CpuSet>();
        for (var node : new NumaTopologyReader().read().numaNodes()) {
            if (node.memoryBytes() > 0 && process.memsAllowed().contains(node.index())) {
                cpusOfNode.put(node.index(), node.cpus().and(process.cpusAllowed()));
            }
        }
        return cpusOfNode;
    }

    private static Progress progress() {
        return Terminal.of(2).interactive() ? new ProgressBar(System.err) : Progress.SILENT;
    }

    private static String render(CacheReport report) {
        try {
            return JSON.writeValueAsString(report);
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("the report cannot be written as JSON", bug);
        }
    }
}
