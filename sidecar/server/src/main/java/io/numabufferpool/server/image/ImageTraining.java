package io.numabufferpool.server.image;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.numabufferpool.client.PoolClient;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.server.config.PoolFile;
import io.numabufferpool.server.config.PoolFolders;
import io.numabufferpool.server.config.ServeFolders;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.lifecycle.Sidecar;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.log.LogFormat;
import io.numabufferpool.server.segment.StopSignal;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The life of one sidecar in small: it asks an operator over TLS, places a segment, serves a client, reports, ends. The JVM
 * that runs this writes what it loaded and linked into the image's AOT cache, so that a pod's sidecar need not do it again.
 *
 * <p>{@code ImageTraining KEYSTORE FOLDER}: a PKCS#12 store with the password {@link #PASSWORD} and the alias {@code
 * operator}, made for {@code localhost}; a folder on tmpfs.
 */
public final class ImageTraining {
    /** The key is made for one run, and no secret. */
    private static final String PASSWORD = "training";

    private static final String ALIAS = "operator";

    /** From the start to a published segment of 2 MiB, on a machine that builds other things too. */
    private static final Duration PUBLISHED_WITHIN = Duration.ofMinutes(2);

    private static final String POOL = """
            apiVersion: numabufferpool.io/v1alpha1
            kind: NumaBufferPool
            metadata: {name: training}
            spec: {size: 2Mi}
            """;

    private final CountDownLatch served = new CountDownLatch(1);
    private final StopSignal stop = new StopSignal();

    private ImageTraining() {}

    public static void main(String[] arguments) throws Exception {
        new ImageTraining().run(Path.of(arguments[0]), Path.of(arguments[1]));
    }

    private void run(Path keyStore, Path folder) throws Exception {
        var keys = readKeys(keyStore);
        var operator = start(keys);
        try {
            var settings = settings(folder, operator.getAddress().getPort());
            var credentials = Files.createDirectories(settings.folders().credentials());
            Files.writeString(credentials.resolve("ca.crt"), pem(keys));
            Files.writeString(credentials.resolve("token"), "training");
            var log = new Log(System.err, LogFormat.JSON, Clock.systemUTC());
            var sidecar =
                    new Sidecar(settings, new JnaLinux(), (step, done, total) -> {}, stop, log, Clock.systemUTC());
            var end = CompletableFuture.supplyAsync(() -> {
                try {
                    return sidecar.run();
                } finally {
                    served.countDown();
                }
            });
            useOnceServed(settings.folders().attach());
            stop.request();
            if (!end.get()) {
                throw new IllegalStateException("the sidecar of the training run ended with an error; see its log");
            }
        } finally {
            operator.stop(0);
        }
    }

    /** Waits until the state Serving was reported, attaches and goes. */
    private void useOnceServed(Path attachFolder) throws InterruptedException {
        if (!served.await(PUBLISHED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("nothing was served within " + PUBLISHED_WITHIN);
        }
        try (var client = PoolClient.attach(attachFolder);
                var ignored = client.openSession()) {
            System.err.println(
                    "attached to " + client + ", " + client.readStatistics().slotsLeased() + " slot leased");
        }
    }

    private static ServeSettings settings(Path folder, int port) throws IOException {
        var file = folder.resolve("pool.yaml");
        Files.writeString(file, POOL);
        var pool = PoolFile.read(file);
        int uid = new JnaLinux().processStatus().uid();
        var folders = new ServeFolders(uid).prepare(PoolFolders.outsidePod(folder.resolve("pool")), pool.name(), 0);
        var outside = ServeSettings.outsidePod(file, pool, folders, 0);
        return new ServeSettings(
                outside.pool(),
                Optional.of(new PodReference("training", "training-0", "training", null)),
                pool.spec(),
                Optional.empty(),
                folders,
                Optional.of(URI.create("https://localhost:" + port)),
                0);
    }

    /** An operator that leaves every decision to the sidecar, and listens for the report that it serves. */
    private HttpsServer start(KeyStore keys) throws IOException, GeneralSecurityException {
        var manager = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        manager.init(keys, PASSWORD.toCharArray());
        var tls = SSLContext.getInstance("TLS");
        tls.init(manager.getKeyManagers(), null, null);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/v1/report", this::answer);
        server.start();
        return server;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var report = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            if (report.contains("\"phase\":\"Serving\"")) {
                served.countDown();
            }
        }
    }

    private static KeyStore readKeys(Path file) throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(file)) {
            keys.load(input, PASSWORD.toCharArray());
        }
        return keys;
    }

    private static String pem(KeyStore keys) throws GeneralSecurityException {
        var encoder = Base64.getMimeEncoder(64, new byte[] {'\n'});
        return "-----BEGIN CERTIFICATE-----\n"
                + encoder.encodeToString(keys.getCertificate(ALIAS).getEncoded())
                + "\n-----END CERTIFICATE-----\n";
    }
}
