package io.numabufferpool.server.cli;

import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.server.demo.Demo;
import io.numabufferpool.server.demo.DemoFailed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code numapool demo}: the main job in small. */
@Command(
        name = "demo",
        description = {
            "Serves a small pool on this machine and lets another process read a file through it.",
            "The file is three times the pool; every block is compared, then it shows where the pool lies and how it was used."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:everything was as it must be",
            "1:a step failed; the last lines say which and why",
            "2:wrong words"
        })
final class DemoCommand implements Callable<Integer> {
    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "Where the file (96 MiB) and the logs go. Default: ${DEFAULT-VALUE}.",
            defaultValue = "numapool-demo")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private Path work;

    @Override
    public Integer call() throws InterruptedException {
        try {
            new Demo(work, System.out).run();
            return ExitStatus.OK;
        } catch (DemoFailed | LinuxException | IOException e) {
            throw new CommandFailed(ExitStatus.FAILED, String.valueOf(e.getMessage()));
        }
    }
}
