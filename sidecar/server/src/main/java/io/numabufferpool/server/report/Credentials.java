package io.numabufferpool.server.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the kubelet mounts for talking to the operator: the CA that it is recognized by, and the token that this pod is
 * recognized by. Both change under a running sidecar. For one thread.
 */
final class Credentials {
    private final Path caFile;
    private final Path tokenFile;
    private byte[] readCa = {};
    private @Nullable SSLContext context;

    /** {@code folder} with the files {@code ca.crt} and {@code token}. */
    Credentials(Path folder) {
        this.caFile = folder.resolve("ca.crt");
        this.tokenFile = folder.resolve("token");
    }

    /** Whether there is a CA to recognize the operator by. */
    boolean present() {
        return Files.exists(caFile);
    }

    /**
     * TLS that trusts that CA and no other; the same object until the file's content changes. Empty while there is no CA:
     * then nothing is sent, because a token must not go to whoever answers.
     *
     * @throws IOException where the file cannot be read or is no certificate
     */
    Optional<SSLContext> trust() throws IOException {
        byte[] ca;
        try {
            ca = Files.readAllBytes(caFile);
        } catch (NoSuchFileException notYet) {
            return Optional.empty();
        }
        var known = context;
        if (known != null && Arrays.equals(ca, readCa)) {
            return Optional.of(known);
        }
        var made = context(ca);
        context = made;
        readCa = ca;
        return Optional.of(made);
    }

    private SSLContext context(byte[] ca) throws IOException {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            // More than one while the operator changes its CA: the old and the new.
            try (var input = new java.io.ByteArrayInputStream(ca)) {
                for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(input)) {
                    store.setCertificateEntry("ca-" + number++, certificate);
                }
            }
            if (number == 0) {
                throw new IOException(caFile + " holds no certificate");
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var tls = SSLContext.getInstance("TLS");
            tls.init(null, trust.getTrustManagers(), null);
            return tls;
        } catch (GeneralSecurityException malformed) {
            throw new IOException(caFile + " is no certificate: " + malformed.getMessage(), malformed);
        }
    }

    /** The token, read anew each time: the kubelet renews it. */
    String token() throws IOException {
        return Files.readString(tokenFile, StandardCharsets.US_ASCII).strip();
    }
}
