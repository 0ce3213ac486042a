package io.numabufferpool.operator.certificate;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** A private key and the certificate of its public half. Immutable. */
record Credential(PrivateKey key, X509Certificate certificate) {

    /** Whether this credential's certificate carries the issuer's signature. */
    boolean isSignedBy(Credential issuer) {
        try {
            certificate.verify(issuer.certificate().getPublicKey());
            return true;
        } catch (GeneralSecurityException notTheirs) {
            return false;
        }
    }

    Instant expiresAt() {
        return certificate.getNotAfter().toInstant();
    }

    Instant validFrom() {
        return certificate.getNotBefore().toInstant();
    }

    /** Names the certificate only: a key must never reach a log. */
    @Override
    public String toString() {
        return "Credential[" + certificate.getSubjectX500Principal().getName() + ", until " + expiresAt() + "]";
    }
}
