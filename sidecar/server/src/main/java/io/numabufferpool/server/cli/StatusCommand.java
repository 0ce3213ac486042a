package io.numabufferpool.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.server.report.StatusDocument;
import io.numabufferpool.server.report.StatusQuestion;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code numapool status}: where a running pool's pages lie and how they are used. */
@Command(
        name = "status",
        description = "Shows on which NUMA nodes the pages of a running pool lie, and how they are used.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:the sidecar answered, whatever the phase",
            "1:it did not; the message says where it was looked for",
            "2:wrong words, or not exactly one pool to ask"
        })
final class StatusCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The folder that serve was given, or the attach folder. Default: the only pool that runs here.")
    private @Nullable Path folder;

    @Option(names = "--json", description = "The document as JSON instead of tables.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        var environment = Optional.ofNullable(System.getenv(AttachProtocol.FOLDER_VARIABLE))
                .filter(value -> !value.isBlank());
        var attachFolder = RunningPools.attachFolder(folder, environment);
        var text = ask(attachFolder);
        PrintWriter out = spec.commandLine().getOut();
        try {
            if (json) {
                out.println(JSON.writeValueAsString(JSON.readTree(text)));
            } else {
                var document = JSON.readValue(text, StatusDocument.class);
                new StatusText(document, Terminal.of(1).columns()).lines().forEach(out::println);
            }
        } catch (JsonProcessingException malformed) {
            throw new CommandFailed(
                    ExitStatus.FAILED,
                    "the sidecar's status document cannot be read: " + malformed.getOriginalMessage()
                            + ". Use numapool of the sidecar's release.");
        }
        out.flush();
        return ExitStatus.OK;
    }

    private static String ask(Path attachFolder) {
        try {
            return StatusQuestion.ask(new JnaLinux(), attachFolder);
        } catch (LinuxException unreachable) {
            throw new CommandFailed(
                    ExitStatus.FAILED,
                    "no sidecar answers: " + unreachable.getMessage()
                            + ". Is serve running? Name its folder by --dir.");
        } catch (StatusQuestion.NoStatus refused) {
            throw new CommandFailed(ExitStatus.FAILED, String.valueOf(refused.getMessage()));
        }
    }
}
