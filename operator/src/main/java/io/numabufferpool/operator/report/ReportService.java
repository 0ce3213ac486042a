package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.MeterRegistry;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.certificate.PresentedCertificate;
import io.numabufferpool.operator.cluster.ClusterView;
import io.numabufferpool.operator.cluster.EventRecorder;
import io.numabufferpool.operator.injection.InjectionDesk;
import io.vertx.core.Vertx;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.util.HashMap;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The report endpoint put together: server, desk, writer and the thread that writes. One a replica. */
public final class ReportService implements AutoCloseable {
    /** What is due is looked for this often: a state change waits no longer than that. */
    private static final long LOOK_MILLIS = 20;

    /** As many writes in a row as the limit allows in a second; then others have a turn. */
    private static final int WRITES_IN_A_ROW_MAX = PlacementWriter.WRITES_PER_SECOND;

    private static final long FORGET_MINUTES = 10;

    /** A machine with 64 NUMA nodes reports 60 KiB; four times that is not a report. */
    private static final int REPORT_BYTES_MAX = 256 * 1024;

    /** At 256 KiB a report 128 MiB in the worst case, in practice 2 MiB; the sidecar sends a refused report again. */
    private static final int REPORTS_WAITING_MAX = 512;

    /** The API server takes objects of up to 3 MiB in a request; the review's own fields come on top. */
    private static final int REVIEW_BYTES_MAX = 4 * 1024 * 1024;

    /** The API server waits 5 s for an answer; more than these would be late anyway. */
    private static final int REVIEWS_WAITING_MAX = 64;

    private static final Logger LOG = Logger.getLogger(ReportService.class);

    private final ReportServer server;
    private final PlacementWriter writer;
    private final ScheduledExecutorService timer;
    private final AtomicReference<@Nullable PresentedCertificate> certificate = new AtomicReference<>();

    public ReportService(
            Vertx vertx,
            KubernetesClient client,
            ClusterView cluster,
            EventRecorder recorder,
            MeterRegistry registry,
            Optional<InjectionDesk> injection,
            Clock clock) {
        var metrics = new ReportMetrics(registry);
        this.writer = new PlacementWriter(counted(new PlacementStore(client), metrics), clock);
        metrics.watchWaiting(writer::waiting);
        var tokens = new SenderTokens(review -> client.resource(review).create(), clock);
        var desk = timed(new ReportDesk(tokens, cluster, writer, new PlacementEvents(recorder), clock), metrics);
        var endpoints = new HashMap<String, Endpoint>();
        endpoints.put(ReportServer.REPORT, Endpoint.of("report", REPORT_BYTES_MAX, REPORTS_WAITING_MAX, desk));
        injection.ifPresent(reviews -> endpoints.put(
                ReportServer.INJECT,
                Endpoint.of(
                        "admission review",
                        REVIEW_BYTES_MAX,
                        REVIEWS_WAITING_MAX,
                        (token, review) -> reviewed(reviews, review))));
        this.server = new ReportServer(vertx, endpoints);
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("placement-writer").factory());
    }

    private static ReportResponse reviewed(InjectionDesk desk, String review) {
        try {
            return new ReportResponse(HttpURLConnection.HTTP_OK, desk.apply(review));
        } catch (InjectionDesk.Malformed malformed) {
            return new ReportResponse(
                    ReportRefused.MALFORMED, ErrorBody.render(String.valueOf(malformed.getMessage())));
        }
    }

    private static BiConsumer<NumaPlacement, @Nullable NumaPlacement> counted(
            PlacementStore store, ReportMetrics metrics) {
        return (wanted, there) -> {
            try {
                store.accept(wanted, there);
                metrics.written();
            } catch (KubernetesClientException e) {
                metrics.failed();
                throw e;
            }
        };
    }

    private static BiFunction<String, String, ReportResponse> timed(ReportDesk desk, ReportMetrics metrics) {
        return (token, body) -> {
            var begun = metrics.begin();
            var response = desk.apply(token, body);
            metrics.answered(begun, response.status());
            return response;
        };
    }

    /**
     * Begins to listen with the keeper's certificate and follows its changes. Returns the port.
     *
     * @param keeper has been refreshed once
     * @param port 0 takes a free one
     */
    public int start(CertificateKeeper keeper, int port) {
        keeper.onServingChange(this::present);
        var first = certificate.get();
        if (first == null) {
            throw new IllegalStateException("the certificate keeper has no certificate yet; refresh it first");
        }
        int actual = server.start(port, first);
        var unusedWriting =
                timer.scheduleWithFixedDelay(this::writeWhatIsDue, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        var unusedForgetting =
                timer.scheduleWithFixedDelay(writer::forgetSilent, FORGET_MINUTES, FORGET_MINUTES, TimeUnit.MINUTES);
        LOG.infov("reports are taken: port={0}", Integer.toString(actual));
        return actual;
    }

    /** Placements that wait to be written. */
    public int waiting() {
        return writer.waiting();
    }

    private void present(PresentedCertificate changed) {
        certificate.set(changed);
        server.present(changed);
    }

    private void writeWhatIsDue() {
        try {
            int written = 0;
            while (written < WRITES_IN_A_ROW_MAX && writer.writeDue()) {
                written++;
            }
        } catch (RuntimeException bug) {
            // A scheduled task that throws is never run again.
            LOG.error("a placement could not be written", bug);
        }
    }

    /** Takes no further report, and writes what waits no more: the next replica is told by the sidecars themselves. */
    @Override
    public void close() {
        server.close();
        timer.shutdown();
    }
}
