package io.numabufferpool.operator.report;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * One path of the HTTPS server: what is posted there, within which bounds, and who answers. Each has threads of its own, so
 * that a flood of one kind does not delay the other.
 *
 * @param what is posted, as messages call it
 * @param bodyBytesMax a larger one is refused
 * @param queueMax so many may wait; more are refused with a sentence
 * @param desk from the bearer token and the body to the answer; called on worker threads, may block
 * @param workers the threads
 */
record Endpoint(
        String what,
        int bodyBytesMax,
        int queueMax,
        BiFunction<String, String, ReportResponse> desk,
        ExecutorService workers) {
    /** Each waits for the API server most of its time. */
    private static final int WORKERS = 8;

    private static final int IDLE_SECONDS_MAX = 60;

    static Endpoint of(String what, int bodyBytesMax, int queueMax, BiFunction<String, String, ReportResponse> desk) {
        var pool = new ThreadPoolExecutor(
                WORKERS,
                WORKERS,
                IDLE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(queueMax),
                Thread.ofPlatform()
                        .daemon()
                        .name(what.replace(' ', '-') + "-", 0)
                        .factory());
        pool.allowCoreThreadTimeOut(true);
        return new Endpoint(what, bodyBytesMax, queueMax, desk, pool);
    }
}
