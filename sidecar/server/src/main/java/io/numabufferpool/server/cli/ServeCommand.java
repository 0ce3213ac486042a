package io.numabufferpool.server.cli;

import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.server.config.InvalidSettings;
import io.numabufferpool.server.config.PoolFile;
import io.numabufferpool.server.config.PoolFolders;
import io.numabufferpool.server.config.ServeFolders;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.log.LogFormat;
import java.nio.file.Path;
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
        if (httpPort < 0 || httpPort > 65_535) {
            throw new CommandFailed(ExitStatus.USAGE, "--http " + httpPort + " is no port; use 0 to 65535.");
        }
        if (file == null) {
            if (folder != null) {
                throw new CommandFailed(ExitStatus.USAGE, "--dir needs -f: in a pod the folders are mounts.");
            }
            return ServeProgram.runInPod(httpPort);
        }
        var linux = new JnaLinux();
        try {
            return ServeProgram.run(settings(file, linux), linux, ServeProgram.log(LogFormat.TEXT));
        } catch (InvalidSettings wrong) {
            throw new CommandFailed(ExitStatus.USAGE, String.valueOf(wrong.getMessage()));
        }
    }

    private ServeSettings settings(Path poolFile, Linux linux) {
        var pool = PoolFile.read(poolFile);
        int uid = linux.processStatus().uid();
        var wanted = folder == null ? PoolFolders.defaultFolder(uid, pool.name()) : folder.toAbsolutePath();
        boolean reserved = pool.spec().hugePages().mode() == HugePageMode.Reserved;
        var folders = new ServeFolders(uid)
                .prepare(
                        PoolFolders.outsidePod(wanted),
                        pool.name(),
                        reserved ? pool.spec().hugePages().size().bytes() : 0);
        return ServeSettings.outsidePod(poolFile, pool, folders, httpPort);
    }
}
