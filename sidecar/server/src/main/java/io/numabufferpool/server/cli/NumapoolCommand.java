package io.numabufferpool.server.cli;

import io.numabufferpool.server.config.ProgramVersion;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code numapool}: by itself it shows what can be asked of it. */
@Command(
        name = "numapool",
        description = "Places one shared buffer pool on the NUMA nodes of this machine and serves it.",
        mixinStandardHelpOptions = true,
        versionProvider = NumapoolCommand.Version.class,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done, or stopped by SIGTERM", "1:could not do it; the last line says why", "2:wrong words"},
        subcommands = {
            ServeCommand.class,
            RunCommand.class,
            NodesCommand.class,
            StatusCommand.class,
            VerifyCommand.class,
            CheckCommand.class,
            PagecacheCommand.class,
            DemoCommand.class
        })
public final class NumapoolCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run()
    private CommandSpec spec;

    /** Runs the command line and returns the exit status. */
    public static int execute(String... arguments) {
        var terminal = Terminal.of(1);
        var commandLine = new CommandLine(new NumapoolCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(terminal.columns())
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.interactive() ? Ansi.ON : Ansi.OFF))
                .setParameterExceptionHandler((wrong, args) -> explain(wrong))
                .setExecutionExceptionHandler((thrown, command, parsed) -> fail(thrown, command));
        return commandLine.execute(arguments);
    }

    private static int explain(ParameterException wrong) {
        var command = wrong.getCommandLine();
        var sentence = String.valueOf(wrong.getMessage()).replace('\n', ' ');
        var name = command.getCommandSpec().qualifiedName();
        command.getErr().printf(Locale.ROOT, "%s: %s%s Try '%s --help'.%n", name, sentence, period(sentence), name);
        return ExitStatus.USAGE;
    }

    private static int fail(Exception thrown, CommandLine command) throws Exception {
        if (!(thrown instanceof CommandFailed failed)) {
            throw thrown;
        }
        PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + failed.getMessage());
        return failed.exitStatus();
    }

    private static String period(String sentence) {
        return sentence.endsWith(".") ? "" : ".";
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** As the build wrote it. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"numapool " + ProgramVersion.text()};
        }
    }
}
