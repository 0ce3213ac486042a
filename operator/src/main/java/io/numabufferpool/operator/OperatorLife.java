package io.numabufferpool.operator;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.injection.WebhookInjection;
import io.numabufferpool.operator.injection.WebhookRegistration;
import io.numabufferpool.operator.report.ReportService;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;

/** Begins and ends what Quarkus does not: certificates and the report endpoint. Ready once reports are taken. */
@Singleton
@Readiness
final class OperatorLife implements HealthCheck {
    /** An edited Secret is noticed within this, a renewal is due for days. */
    private static final long REFRESH_SECONDS = 60;

    /** At start the API server may be busy, and the other replica is making the Secret at the same time. */
    private static final int START_ATTEMPTS_MAX = 10;

    private static final long START_RETRY_MILLIS = 1_000;

    private static final Logger LOG = Logger.getLogger(OperatorLife.class);

    private final CertificateKeeper certificates;
    private final ReportService reports;
    private final WebhookInjection injection;
    private final int reportPort;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("certificates").factory());
    private volatile int listening;

    @Inject
    OperatorLife(
            CertificateKeeper certificates,
            ReportService reports,
            WebhookInjection injection,
            @ConfigProperty(name = "numapool.report-port") int reportPort) {
        this.certificates = certificates;
        this.reports = reports;
        this.injection = injection;
        this.reportPort = reportPort;
    }

    /** Before the reconcilers begin: they hand out the CA. */
    void start(@Observes @Priority(1) StartupEvent event) throws InterruptedException {
        firstRefresh();
        certificates.onBundleChange(this::register);
        listening = reports.start(certificates, reportPort);
        register();
        var unusedRefreshing =
                timer.scheduleWithFixedDelay(this::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
    }

    private void firstRefresh() throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                certificates.refresh();
                return;
            } catch (KubernetesClientException e) {
                if (attempt == START_ATTEMPTS_MAX) {
                    throw e;
                }
                LOG.warnv("certificates not ready yet: attempt={0} problem={1}", attempt, e.getMessage());
                Thread.sleep(START_RETRY_MILLIS);
            }
        }
    }

    /** After this the API server may ask; before, it refuses pods that ask for a pool. */
    private void register() {
        try {
            injection.registration().ifPresent(WebhookRegistration::refresh);
        } catch (RuntimeException e) {
            // The next refresh tries again.
            LOG.warnv("webhook not registered: problem={0}", e.getMessage());
        }
    }

    private void refresh() {
        register();
        try {
            certificates.refresh();
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again; the certificate in use is good for weeks.
            LOG.warnv("certificates not refreshed: problem={0}", e.getMessage());
        }
    }

    void stop(@Observes ShutdownEvent event) {
        timer.shutdown();
        reports.close();
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("reports")
                .status(listening > 0)
                .withData("port", listening)
                .withData("waitingToBeWritten", reports.waiting())
                .build();
    }
}
