package io.numabufferpool.server.cli;

import io.numabufferpool.server.segment.StopSignal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and SIGINT into a stop signal, and the end of the work into the exit status. A JVM that got a signal exits
 * with 128 + its number whatever the program made of it, unless the shutdown hook halts it first.
 */
final class SignalHandler implements AutoCloseable {
    /** The longest step between two looks at the signal is one chunk of pages, or one exchange with the operator. */
    private static final Duration END_TIME_MAX = Duration.ofSeconds(15);

    private final StopSignal stop;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile int exitStatus = ExitStatus.FAILED;

    private SignalHandler(StopSignal stop) {
        this.stop = stop;
    }

    static SignalHandler of(StopSignal stop) {
        var handler = new SignalHandler(stop);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("signal").unstarted(handler::shutDown));
        return handler;
    }

    private void shutDown() {
        if (ended.getCount() == 0) {
            return;
        }
        stop.request();
        try {
            if (!ended.await(END_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            return;
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(exitStatus);
    }

    /** The work is done. */
    void ended(int status) {
        exitStatus = status;
        ended.countDown();
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
