package io.numabufferpool.server.cli;

import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.server.config.InvalidSettings;
import io.numabufferpool.server.config.PoolEnvironment;
import io.numabufferpool.server.config.PoolFile;
import io.numabufferpool.server.config.PoolFolders;
import io.numabufferpool.server.config.ServeFolders;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.lifecycle.Sidecar;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFinder;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.StopSignal;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code numapool serve}: in a pod from its environment, elsewhere from a NumaBufferPool file. */
@Command(
        name = "serve",
        description = {
            "Makes the segment of a pool, places it on the NUMA nodes, and serves it until SIGTERM.",
            "In a pod everything comes from the environment that injection has set; elsewhere from the file."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:stopped by SIGTERM or SIGINT",
            "1:cannot serve; the last line of the log says why and what to change",
            "2:wrong words, or a file or environment that describes no valid pool"
        })
public final class ServeCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "A NumaBufferPool in YAML, the same as for kubectl apply.")
    private @Nullable Path file;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "With -f: where the segment and its socket go; on tmpfs. Default: /dev/shm/numapool-UID-POOL.")
    private @Nullable Path folder;

    @Option(
            names = "--http",
            paramLabel = "PORT",
            description = "Port of health and metrics; 0: any free one. Default: ${DEFAULT-VALUE}.",
            defaultValue = "" + ServeSettings.HTTP_PORT_IN_POD)
    private int httpPort;

    @Override
    public Integer call() {
        var environment = new PoolEnvironment(System.getenv());
        boolean inPod = file == null;
        var log = new Log(System.err, inPod ? LogFormat.JSON : LogFormat.TEXT, Clock.systemUTC());
        LogFinder.lead(log);
        var linux = new JnaLinux();
        ServeSettings settings;
        try {
            settings = settings(environment, linux);
        } catch (InvalidSettings wrong) {
            if (!inPod) {
                throw new CommandFailed(ExitStatus.USAGE, String.valueOf(wrong.getMessage()));
            }
            log.error("the sidecar cannot serve", "reason", wrong.getMessage());
            return ExitStatus.USAGE;
        }
        var terminal = Terminal.of(2);
        var progress = terminal.interactive() ? new ProgressBar(System.err) : new ProgressLog(log);
        var stop = new StopSignal();
        try (var signals = SignalHandler.of(stop)) {
            var sidecar = new Sidecar(settings, linux, progress, stop, log, Clock.systemUTC());
            int exitStatus = sidecar.run() ? ExitStatus.OK : ExitStatus.FAILED;
            signals.ended(exitStatus);
            return exitStatus;
        }
    }

    private ServeSettings settings(PoolEnvironment environment, Linux linux) {
        if (httpPort < 0 || httpPort > 65_535) {
            throw new InvalidSettings("--http " + httpPort + " is no port; use 0 to 65535.");
        }
        if (file == null) {
            if (folder != null) {
                throw new InvalidSettings("--dir needs -f: in a pod the folders are mounts.");
            }
            return ServeSettings.inPod(environment, httpPort);
        }
        var pool = PoolFile.read(file);
        int uid = linux.processStatus().uid();
        var wanted = folder == null ? PoolFolders.defaultFolder(uid, pool.name()) : folder.toAbsolutePath();
        boolean reserved = pool.spec().hugePages().mode() == HugePageMode.Reserved;
        var folders = new ServeFolders(uid)
                .prepare(
                        PoolFolders.outsidePod(wanted),
                        pool.name(),
                        reserved ? pool.spec().hugePages().size().bytes() : 0);
        return ServeSettings.outsidePod(pool, folders, httpPort);
    }
}
