package io.numabufferpool.operator.certificate;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** The text form of keys and certificates (RFC 7468): PKCS #8 keys, one certificate after another. */
final class Pem {
    private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Pem() {}

    static String render(List<X509Certificate> certificates) {
        var text = new StringBuilder();
        for (var certificate : certificates) {
            try {
                text.append("-----BEGIN CERTIFICATE-----\n")
                        .append(LINES.encodeToString(certificate.getEncoded()))
                        .append("\n-----END CERTIFICATE-----\n");
            } catch (CertificateEncodingException bug) {
                throw new IllegalStateException("a certificate cannot be encoded", bug);
            }
        }
        return text.toString();
    }

    static String render(PrivateKey key) {
        return KEY_BEGIN + "\n" + LINES.encodeToString(key.getEncoded()) + "\n" + KEY_END + "\n";
    }

    static List<X509Certificate> certificates(String pem) throws GeneralSecurityException {
        var bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
        return CertificateFactory.getInstance("X.509").generateCertificates(bytes).stream()
                .map(X509Certificate.class::cast)
                .toList();
    }

    static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        int begin = pem.indexOf(KEY_BEGIN);
        int end = pem.indexOf(KEY_END);
        if (begin < 0 || end < begin) {
            throw new GeneralSecurityException("no " + KEY_BEGIN + " in it");
        }
        try {
            var encoded = Base64.getMimeDecoder().decode(pem.substring(begin + KEY_BEGIN.length(), end));
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (IllegalArgumentException notBase64) {
            throw new GeneralSecurityException("the private key is not Base64", notBase64);
        }
    }
}
