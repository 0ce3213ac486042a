package io.numabufferpool.operator.report;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.function.IntSupplier;

/** What Prometheus sees of the report endpoint. The names are documented in operator/README.md. Thread-safe. */
final class ReportMetrics {
    private final MeterRegistry registry;
    private final Timer handling;
    private final Counter written;
    private final Counter failed;

    ReportMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.handling = Timer.builder("numapool.reports.handling")
                .description("Time from a complete report to its answer")
                .register(registry);
        this.written = Counter.builder("numapool.placements.written")
                .description("NumaPlacements written to the API server")
                .register(registry);
        this.failed = Counter.builder("numapool.placements.failed")
                .description("Writes of NumaPlacements that the API server did not take")
                .register(registry);
    }

    /** Shows how many placements wait for their turn. */
    void watchWaiting(IntSupplier waiting) {
        Gauge.builder("numapool.placements.waiting", waiting, IntSupplier::getAsInt)
                .description("NumaPlacements that wait to be written")
                .strongReference(true)
                .register(registry);
    }

    Timer.Sample begin() {
        return Timer.start(registry);
    }

    /** A report was answered with this HTTP status. */
    void answered(Timer.Sample begun, int status) {
        begun.stop(handling);
        Counter.builder("numapool.reports")
                .description("Reports by the HTTP status of their answer")
                .tag("status", Integer.toString(status))
                .register(registry)
                .increment();
    }

    void written() {
        written.increment();
    }

    void failed() {
        failed.increment();
    }
}
