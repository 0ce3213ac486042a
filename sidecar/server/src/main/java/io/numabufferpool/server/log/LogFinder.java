package io.numabufferpool.server.log;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Leads what is written through {@link System.Logger}, here and in libraries, into the program's log. Before {@link #lead} and
 * in commands that have no log, only warnings and errors show, as text.
 */
public final class LogFinder extends System.LoggerFinder {
    private static final AtomicReference<Log> TARGET =
            new AtomicReference<>(new Log(System.err, LogFormat.TEXT, java.time.Clock.systemUTC()));

    /** From now on events go to this log. */
    public static void lead(Log log) {
        TARGET.set(log);
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new LogEvents(name, TARGET::get);
    }
}
