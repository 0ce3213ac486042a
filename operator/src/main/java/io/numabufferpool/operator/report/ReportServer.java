package io.numabufferpool.operator.report;

import io.numabufferpool.operator.certificate.PresentedCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.SSLOptions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The HTTPS side of the operator: {@code POST /v1/report} and, where injection is a webhook, {@code POST /v1/inject}: bodies,
 * limits, errors as JSON. What they mean is elsewhere. The certificate is exchanged without a restart; connections that are
 * open keep theirs.
 */
public final class ReportServer implements AutoCloseable {
    static final String REPORT = "/v1/report";
    static final String INJECT = "/v1/inject";

    /** A token of 8 KiB and the usual headers. */
    private static final int HEADER_BYTES_MAX = 16 * 1024;

    /** Longer than the sidecar's report interval would keep its connection; shorter closes it, which is cheap as well. */
    private static final int IDLE_SECONDS_MAX = 60;

    /** From the first header to the last byte of the body: a slow sender must not hold memory. */
    private static final long BODY_MILLIS_MAX = 10_000;

    /** Start and stop happen once each; the API server is not involved. */
    private static final long CONTROL_SECONDS_MAX = 30;

    private static final Logger LOG = Logger.getLogger(ReportServer.class);

    private final Vertx vertx;
    private final Map<String, Endpoint> endpoints;
    private @Nullable HttpServer server;

    /** Ready to use; {@code endpoints} by path. */
    ReportServer(Vertx vertx, Map<String, Endpoint> endpoints) {
        this.vertx = vertx;
        this.endpoints = Map.copyOf(endpoints);
    }

    /** Listens on all addresses; port 0 takes a free one. Returns the port. */
    public synchronized int start(int port, PresentedCertificate certificate) {
        var options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(false)
                .setKeyCertOptions(keyCertOptions(certificate))
                .setIdleTimeout(IDLE_SECONDS_MAX)
                .setMaxHeaderSize(HEADER_BYTES_MAX)
                .setCompressionSupported(false);
        options.removeEnabledSecureTransportProtocol("TLSv1.1").removeEnabledSecureTransportProtocol("TLSv1");
        var listening =
                vertx.createHttpServer(options).requestHandler(this::receive).listen(port);
        server = await(listening.toCompletionStage().toCompletableFuture(), "listen on port " + port);
        return server.actualPort();
    }

    /** New connections get this certificate. */
    public synchronized void present(PresentedCertificate certificate) {
        if (server != null) {
            var options = new SSLOptions().setKeyCertOptions(keyCertOptions(certificate));
            await(
                    server.updateSSLOptions(options).toCompletionStage().toCompletableFuture(),
                    "exchange the certificate");
        }
    }

    private static PemKeyCertOptions keyCertOptions(PresentedCertificate certificate) {
        return new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(certificate.certificatePem()))
                .addKeyValue(Buffer.buffer(certificate.keyPem()));
    }

    private void receive(HttpServerRequest request) {
        var endpoint = endpoints.get(request.path());
        if (endpoint == null) {
            refuse(
                    request,
                    404,
                    "There is nothing at " + shown(request.path()) + "; reports go to POST " + REPORT + ".");
            return;
        }
        if (!HttpMethod.POST.equals(request.method())) {
            refuse(
                    request,
                    405,
                    "A " + endpoint.what() + " is sent with POST, not "
                            + shown(request.method().name()) + ".");
            return;
        }
        new BodyReader(request, endpoint).read();
    }

    /** Collects one body within its limits. Runs on the connection's event loop only. */
    private final class BodyReader {
        private final HttpServerRequest request;
        private final Endpoint endpoint;
        private final Buffer body = Buffer.buffer();
        private final long deadline;
        private boolean refused;

        BodyReader(HttpServerRequest request, Endpoint endpoint) {
            this.request = request;
            this.endpoint = endpoint;
            this.deadline = vertx.setTimer(
                    BODY_MILLIS_MAX,
                    expired -> stop(
                            408,
                            "The " + endpoint.what() + " did not arrive within " + BODY_MILLIS_MAX / 1000
                                    + " s; send it again."));
        }

        void read() {
            request.exceptionHandler(gone -> vertx.cancelTimer(deadline));
            request.handler(this::append);
            request.endHandler(end -> {
                vertx.cancelTimer(deadline);
                if (!refused) {
                    hand(request, endpoint, body.toString(StandardCharsets.UTF_8));
                }
            });
        }

        private void append(Buffer part) {
            if (refused) {
                return;
            }
            if (body.length() + part.length() > endpoint.bodyBytesMax()) {
                stop(
                        ReportRefused.MALFORMED,
                        "The " + endpoint.what() + " is larger than " + endpoint.bodyBytesMax() / 1024 + " KiB.");
                return;
            }
            body.appendBuffer(part);
        }

        private void stop(int status, String message) {
            if (!refused) {
                refused = true;
                vertx.cancelTimer(deadline);
                // The rest of the body is not wanted: the connection ends with the answer.
                request.response().putHeader("Connection", "close");
                refuse(request, status, message);
                var connection = request.connection();
                vertx.setTimer(1_000, later -> connection.close());
            }
        }
    }

    private void hand(HttpServerRequest request, Endpoint endpoint, String body) {
        var context = vertx.getOrCreateContext();
        var token = bearer(request.getHeader("Authorization"));
        try {
            endpoint.workers().execute(() -> {
                var answer = answer(endpoint, token, body);
                context.runOnContext(back -> respond(request, answer));
            });
        } catch (RejectedExecutionException full) {
            refuse(
                    request,
                    ReportRefused.BUSY,
                    endpoint.queueMax() + " of the kind " + endpoint.what()
                            + " are waiting; send it again in some seconds.");
        }
    }

    private static ReportResponse answer(Endpoint endpoint, String token, String body) {
        try {
            return endpoint.desk().apply(token, body);
        } catch (RuntimeException bug) {
            LOG.error("a " + endpoint.what() + " could not be handled", bug);
            return new ReportResponse(
                    500,
                    ErrorBody.render("The operator failed to handle the " + endpoint.what() + "; its log says why."));
        }
    }

    private static String bearer(@Nullable String authorization) {
        var scheme = "Bearer ";
        return authorization != null && authorization.regionMatches(true, 0, scheme, 0, scheme.length())
                ? authorization.substring(scheme.length()).strip()
                : "";
    }

    private static void refuse(HttpServerRequest request, int status, String message) {
        respond(request, new ReportResponse(status, ErrorBody.render(message)));
    }

    private static void respond(HttpServerRequest request, ReportResponse answer) {
        var response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(answer.status()).putHeader("Content-Type", "application/json");
        if (answer.status() == ReportRefused.TOO_MANY || answer.status() == ReportRefused.BUSY) {
            response.putHeader("Retry-After", "2");
        }
        response.end(answer.json()).onFailure(gone -> LOG.debugv("a sidecar left before its answer: {0}", gone));
    }

    /** Text of a stranger, short enough for a log line. */
    private static String shown(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }

    private static <T> T await(java.util.concurrent.Future<T> future, String what) {
        try {
            return future.get(CONTROL_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the report server was to " + what, e);
        } catch (ExecutionException | CompletionException | TimeoutException e) {
            throw new IllegalStateException("the report server cannot " + what + ": " + e, e);
        }
    }

    @Override
    public synchronized void close() {
        if (server != null) {
            await(server.close().toCompletionStage().toCompletableFuture(), "close");
            server = null;
        }
        endpoints.values().forEach(endpoint -> endpoint.workers().shutdown());
    }
}
