package io.numabufferpool.operator.certificate;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the operator needs to be believed: the authority in force, the one that takes over next, the serving
 * credential, and every authority that sidecars are to trust. Immutable; {@link #renewed} is the whole life cycle.
 *
 * <p>An authority is replaced in two steps, because a sidecar must trust the new one before it meets a certificate of
 * it: first it joins {@code trusted}, and after {@link #HEAD_START} it signs. The old one stays trusted until it expires.
 *
 * @param authority signs {@code serving}
 * @param nextAuthority already trusted, does not sign yet; null outside a rotation
 * @param serving what the report server presents
 * @param trusted the certificates of the bundle, the newest authority first
 */
record ServingCertificates(
        Credential authority, @Nullable Credential nextAuthority, Credential serving, List<X509Certificate> trusted) {

    /** A serving certificate is replaced when less than this is left of it: three tries a day for a month. */
    static final Duration SERVING_RENEWAL = Duration.ofDays(30);

    /** An authority is replaced when less than this is left: twice a serving certificate's life, so none is cut short. */
    static final Duration AUTHORITY_RENEWAL = Duration.ofDays(180);

    /** The kubelet brings a changed ConfigMap into a running pod within about two minutes; a day also covers an outage. */
    static final Duration HEAD_START = Duration.ofDays(1);

    /** Authorities live two years and are replaced half a year early: more than this are never valid together. */
    static final int TRUSTED_MAX = 4;

    ServingCertificates {
        trusted = List.copyOf(trusted);
    }

    /** The first certificates: nobody trusts anything yet, so there is nothing to wait for. */
    static ServingCertificates first(CertificateMaker maker, List<String> dnsNames, Instant now) {
        var authority = maker.authority(now);
        var serving = maker.serving(authority, dnsNames, now);
        return new ServingCertificates(authority, null, serving, List.of(authority.certificate()));
    }

    /** What there should be at {@code now}; equal to this while nothing is due. */
    ServingCertificates renewed(CertificateMaker maker, List<String> dnsNames, Instant now) {
        var signing = authority;
        var next = nextAuthority;
        if (next == null && isDue(signing, AUTHORITY_RENEWAL, now)) {
            next = maker.authority(now);
        }
        if (next != null && (hasHadItsHeadStart(next, now) || isExpired(signing, now))) {
            signing = next;
            next = null;
        }
        var presented = mustReplaceServing(signing, dnsNames, now) ? maker.serving(signing, dnsNames, now) : serving;
        return new ServingCertificates(signing, next, presented, bundle(signing, next, now));
    }

    private static boolean hasHadItsHeadStart(Credential next, Instant now) {
        return !now.isBefore(next.validFrom().plus(CertificateMaker.CLOCK_SKEW).plus(HEAD_START));
    }

    private boolean mustReplaceServing(Credential signing, List<String> dnsNames, Instant now) {
        return isDue(serving, SERVING_RENEWAL, now)
                || now.isBefore(serving.validFrom())
                || !serving.isSignedBy(signing)
                || !dnsNamesOf(serving.certificate()).equals(dnsNames);
    }

    private List<X509Certificate> bundle(Credential signing, @Nullable Credential next, Instant now) {
        var newest = next == null ? Stream.of(signing) : Stream.of(next, signing);
        return Stream.concat(newest.map(Credential::certificate), trusted.stream())
                .filter(certificate -> certificate.getNotAfter().toInstant().isAfter(now))
                .distinct()
                .limit(TRUSTED_MAX)
                .toList();
    }

    private static boolean isDue(Credential credential, Duration before, Instant now) {
        return !now.isBefore(credential.expiresAt().minus(before));
    }

    private static boolean isExpired(Credential credential, Instant now) {
        return !now.isBefore(credential.expiresAt());
    }

    private static List<String> dnsNamesOf(X509Certificate certificate) {
        var names = new ArrayList<String>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                all.forEach(name -> names.add(String.valueOf(name.get(1))));
            }
        } catch (java.security.cert.CertificateParsingException unreadable) {
            return List.of();
        }
        return names;
    }

    /** The bundle as sidecars read it: PEM, the newest authority first. */
    String trustedPem() {
        return Pem.render(trusted);
    }
}
