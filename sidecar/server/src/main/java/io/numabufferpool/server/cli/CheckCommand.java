package io.numabufferpool.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.client.AttachFailed;
import io.numabufferpool.client.PoolClient;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.server.check.CheckOptions;
import io.numabufferpool.server.check.CheckResult;
import io.numabufferpool.server.check.PoolCheck;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code numapool check FILE}: proves that blocks read through the pool are the file's. */
@Command(
        name = "check",
        description = {
            "Reads a file through a running pool and compares every block with the file itself.",
            "Each block once in order and then at random, by its SHA-256."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:every block was the file's",
            "1:a block was wrong, or the check could not be made; the last line says why",
            "2:wrong words"
        })
public final class CheckCommand implements Callable<Integer> {
    private static final int THREADS_MAX = 1024;
    private static final int SECONDS_MAX = 86_400;

    @Parameters(paramLabel = "FILE", description = "A regular file or block device that this process may read.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private Path file;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The --dir of serve, or the attach folder. Default: $NUMAPOOL_ATTACH, else the only pool in /dev/shm.")
    private @Nullable Path folder;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Readers at once. Default: ${DEFAULT-VALUE}.",
            defaultValue = "2")
    private int threads;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long to read at random. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int seconds;

    @Option(names = "--sessions", description = "Lease a new session for every few blocks, instead of one a thread.")
    private boolean freshSessions;

    @Option(names = "--seed", paramLabel = "SEED", description = "Of the random order. Default: another one each time.")
    private @Nullable Long seed;

    @Option(names = "--json", description = "Print one JSON document.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        requireBetween("--threads", threads, 1, THREADS_MAX);
        requireBetween("--seconds", seconds, 0, SECONDS_MAX);
        var options = new CheckOptions(
                threads, Duration.ofSeconds(seconds), freshSessions, seed == null ? System.nanoTime() : seed);
        var environment = Optional.ofNullable(System.getenv(AttachProtocol.FOLDER_VARIABLE))
                .filter(value -> !value.isBlank());
        var out = spec.commandLine().getOut();
        try (var client = PoolClient.attach(RunningPools.attachFolder(folder, environment))) {
            var result = new PoolCheck(client, options).run(file);
            if (json) {
                printJson(out, result);
            } else {
                print(out, result);
            }
            out.flush();
            return result.good() ? ExitStatus.OK : ExitStatus.FAILED;
        } catch (AttachFailed | PoolException e) {
            throw new CommandFailed(ExitStatus.FAILED, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CommandFailed(ExitStatus.FAILED, "Checking " + file + " failed: " + e.getMessage());
        }
    }

    private void requireBetween(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(), option + " " + value + " is not in " + min + ".." + max + ".");
        }
    }

    private static void print(PrintWriter out, CheckResult result) {
        out.printf(
                Locale.ROOT,
                "%s: %d blocks of %d bytes, seed %d%n",
                result.file(),
                result.blockCount(),
                result.blockBytes(),
                result.seed());
        var table = new TextTable("pass", "blocks", "blocks/s", "hits", "misses", "wrong");
        row(table, "in order", result.inOrder());
        row(table, "at random", result.atRandom());
        table.lines().forEach(out::println);
        var nodes = new TextTable("NUMA node", "hits in order", "hits at random");
        var numbers = new TreeSet<>(result.inOrder().hitsByNumaNode().keySet());
        numbers.addAll(result.atRandom().hitsByNumaNode().keySet());
        for (int node : numbers) {
            nodes.row(
                    node < 0 ? "none" : node,
                    result.inOrder().hitsByNumaNode().getOrDefault(node, 0L),
                    result.atRandom().hitsByNumaNode().getOrDefault(node, 0L));
        }
        nodes.lines().forEach(out::println);
        result.wrong().forEach(what -> out.println("WRONG: " + what));
        out.println(
                result.good() ? "every block was the file's" : result.wrongBlocks() + " blocks were not the file's");
    }

    private static void row(TextTable table, String name, CheckResult.Pass pass) {
        table.row(name, pass.blocks(), pass.blocksPerSecond(), pass.hits(), pass.misses(), pass.wrongBlocks());
    }

    private static void printJson(PrintWriter out, CheckResult result) {
        var document = new LinkedHashMap<String, Object>();
        document.put("file", result.file());
        document.put("blockBytes", result.blockBytes());
        document.put("blocks", result.blockCount());
        document.put("seed", result.seed());
        document.put("inOrder", document(result.inOrder()));
        document.put("atRandom", document(result.atRandom()));
        document.put("hits", result.inOrder().hits() + result.atRandom().hits());
        document.put("misses", result.inOrder().misses() + result.atRandom().misses());
        document.put("wrongBlocks", result.wrongBlocks());
        document.put("wrong", result.wrong());
        try {
            out.println(new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(document));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("numbers and texts are always JSON", e);
        }
    }

    private static Map<String, Object> document(CheckResult.Pass pass) {
        var document = new LinkedHashMap<String, Object>();
        document.put("blocks", pass.blocks());
        document.put("blocksPerSecond", pass.blocksPerSecond());
        document.put("hits", pass.hits());
        document.put("misses", pass.misses());
        document.put("wrongBlocks", pass.wrongBlocks());
        document.put("hitsByNumaNode", pass.hitsByNumaNode());
        return document;
    }
}
