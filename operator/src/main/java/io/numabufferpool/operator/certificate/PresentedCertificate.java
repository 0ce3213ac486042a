package io.numabufferpool.operator.certificate;

/** What a TLS server needs: its certificate and its PKCS #8 key, both PEM. Immutable. */
public record PresentedCertificate(String certificatePem, String keyPem) {
    /** Says nothing: a key must never reach a log. */
    @Override
    public String toString() {
        return "PresentedCertificate";
    }
}
