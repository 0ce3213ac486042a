package io.numabufferpool.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.numabufferpool.server.log.Log;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Serves {@code /q/health/live|ready|started} and {@code /q/metrics}. Thread-safe. */
public final class HttpEndpoint implements AutoCloseable {
    /** A probe and a scrape at the same time; more callers wait. */
    private static final int THREADS = 2;

    /** A caller that sends or reads slower than this is cut off, so that it cannot hold one of the threads. */
    private static final String REQUEST_SECONDS_MAX = "5";

    private static final int BACKLOG = 16;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final java.util.concurrent.ExecutorService threads;
    private final Log log;

    /**
     * Listens on all addresses: the kubelet probes the pod's address. Port 0 takes a free one.
     *
     * @throws IOException where the port is taken
     */
    public HttpEndpoint(int port, Supplier<Health> health, Supplier<MetricSnapshots> metrics, Log log)
            throws IOException {
        System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
        System.setProperty("sun.net.httpserver.maxRspTime", REQUEST_SECONDS_MAX);
        this.log = log;
        this.server = HttpServer.create(new InetSocketAddress(port), BACKLOG);
        this.threads = Executors.newFixedThreadPool(
                THREADS, Thread.ofPlatform().name("http-", 0).daemon().factory());
        server.setExecutor(threads);
        // Live: this answer itself is the check. A sidecar that waits for pages must not be killed for it.
        server.createContext("/q/health/live", exchange -> answerHealth(exchange, health.get(), any -> true));
        server.createContext("/q/health/ready", exchange -> answerHealth(exchange, health.get(), Health::ready));
        server.createContext("/q/health/started", exchange -> answerHealth(exchange, health.get(), Health::started));
        server.createContext("/q/metrics", exchange -> answerMetrics(exchange, metrics.get()));
    }

    /** Begins to answer; returns the port. */
    public int start() {
        server.start();
        return server.getAddress().getPort();
    }

    private void answerHealth(HttpExchange exchange, Health health, Predicate<Health> up) throws IOException {
        var status = up.test(health) ? "UP" : "DOWN";
        var check = new LinkedHashMap<String, Object>();
        check.put("name", "segment");
        check.put("status", status);
        check.put("data", health.data());
        answer(exchange, status.equals("UP") ? 200 : 503, "application/json", json(status, check));
    }

    private static byte[] json(String status, Map<String, Object> check) throws JsonProcessingException {
        var body = new LinkedHashMap<String, Object>();
        body.put("status", status);
        body.put("checks", List.of(check));
        return JSON.writeValueAsBytes(body);
    }

    private void answerMetrics(HttpExchange exchange, MetricSnapshots snapshots) throws IOException {
        var body = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(body, snapshots);
        answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", body.toByteArray());
    }

    private void answer(HttpExchange exchange, int status, String contentType, byte[] body) {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        try (exchange) {
            if (!head && !exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "text/plain", "use GET\n".getBytes(StandardCharsets.UTF_8), false);
                return;
            }
            send(exchange, status, contentType, body, head);
        } catch (IOException callerLeft) {
            log.warn(
                    "an HTTP caller left before its answer was sent",
                    "path",
                    exchange.getRequestURI().getPath(),
                    "answer",
                    callerLeft.getMessage());
        }
    }

    private static void send(HttpExchange exchange, int status, String contentType, byte[] body, boolean head)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", contentType);
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
