package io.numabufferpool.server.cli;

import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.server.config.InvalidSettings;
import io.numabufferpool.server.config.PoolEnvironment;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.lifecycle.Sidecar;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFinder;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.StopSignal;
import java.time.Clock;

/** A sidecar from its settings to its exit status. Loads nothing of the command line's library: a pod's start waits for it. */
public final class ServeProgram {
    private ServeProgram() {}

    /** As an injected container is started; the exit status. */
    public static int runInPod(int httpPort) {
        var log = log(LogFormat.JSON);
        try {
            return run(ServeSettings.inPod(new PoolEnvironment(System.getenv()), httpPort), new JnaLinux(), log);
        } catch (InvalidSettings wrong) {
            log.error("the sidecar cannot serve", "reason", wrong.getMessage());
            return ExitStatus.USAGE;
        }
    }

    /** The log of the program, which also takes what libraries say. */
    static Log log(LogFormat format) {
        var log = new Log(System.err, format, Clock.systemUTC());
        LogFinder.lead(log);
        return log;
    }

    /** Serves until a signal; the exit status. */
    static int run(ServeSettings settings, Linux linux, Log log) {
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
}
