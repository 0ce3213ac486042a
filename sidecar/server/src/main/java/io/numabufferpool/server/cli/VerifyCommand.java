package io.numabufferpool.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.server.report.StatusQuestion;
import io.numabufferpool.server.report.VerificationDocument;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code numapool verify}: counts the pages of a running pool now, for people and for scripts. */
@Command(
        name = "verify",
        description = {
            "Lets the sidecar of a running pool count every page now, partition by partition.",
            "Changes nothing."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:every page lies where it was decided to lie",
            "1:some lie elsewhere, or no sidecar answered; the last line says which",
            "2:wrong words, or not exactly one pool to ask"
        })
final class VerifyCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The folder that serve was given, or the attach folder. Default: the only pool that runs here.")
    private @Nullable Path folder;

    @Option(names = "--json", description = "The document as JSON instead of a table.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        var environment = Optional.ofNullable(System.getenv(AttachProtocol.FOLDER_VARIABLE))
                .filter(value -> !value.isBlank());
        var text = ask(RunningPools.attachFolder(folder, environment));
        PrintWriter out = spec.commandLine().getOut();
        VerificationDocument document;
        try {
            var tree = JSON.readTree(text);
            if (!tree.has("asDecided")) {
                throw new CommandFailed(
                        ExitStatus.FAILED,
                        "the sidecar is of an older release, which cannot verify on demand; numapool status shows its last"
                                + " count.");
            }
            document = JSON.treeToValue(tree, VerificationDocument.class);
            if (json) {
                out.println(JSON.writeValueAsString(tree));
            }
        } catch (JsonProcessingException malformed) {
            throw new CommandFailed(
                    ExitStatus.FAILED,
                    "the sidecar's answer cannot be read: " + malformed.getOriginalMessage()
                            + ". Use numapool of the sidecar's release.");
        }
        if (!json) {
            new VerificationText(document, Terminal.of(1).columns()).lines().forEach(out::println);
        }
        out.flush();
        return document.asDecided() ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private static String ask(Path attachFolder) {
        try {
            return StatusQuestion.askVerification(new JnaLinux(), attachFolder);
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
