package io.numabufferpool.operator.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The life of the certificates, told by moving the clock. */
final class ServingCertificatesTest {
    private static final Instant START = Instant.parse("2026-12-01T00:00:00Z");
    private static final List<String> NAMES = CertificateKeeper.dnsNamesOf("numa-buffer-pool-operator", "numa-system");

    private final CertificateMaker maker = new CertificateMaker();

    @Test
    void theFirstCertificateIsTrustedAtOnceForEveryNameOfTheService() throws Exception {
        var first = ServingCertificates.first(maker, NAMES, START);

        assertThat(isTrusted(first, first, START)).isTrue();
        assertThat(first.serving().certificate().getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .containsExactly(
                        "numa-buffer-pool-operator.numa-system.svc",
                        "numa-buffer-pool-operator.numa-system.svc.cluster.local",
                        "numa-buffer-pool-operator.numa-system",
                        "localhost");
    }

    @Test
    void nothingChangesWhileNothingIsDue() {
        var first = ServingCertificates.first(maker, NAMES, START);

        assertThat(first.renewed(maker, NAMES, START.plus(Duration.ofDays(59)))).isEqualTo(first);
    }

    @Test
    void theServingCertificateIsReplacedAMonthBeforeItEndsAndTheAuthorityStays() {
        var first = ServingCertificates.first(maker, NAMES, START);

        var later = first.renewed(maker, NAMES, START.plus(Duration.ofDays(61)));

        assertThat(later.serving()).isNotEqualTo(first.serving());
        assertThat(later.authority()).isEqualTo(first.authority());
        assertThat(later.trusted()).isEqualTo(first.trusted());
    }

    @Test
    void aNewAuthorityIsTrustedForADayBeforeItSigns() {
        var due = START.plus(CertificateMaker.AUTHORITY_LIFETIME).minus(ServingCertificates.AUTHORITY_RENEWAL);
        var before = livedUntil(due.minusSeconds(1));

        var announced = before.renewed(maker, NAMES, due);
        var stillAnnounced = announced.renewed(maker, NAMES, due.plus(Duration.ofHours(23)));
        var inForce = stillAnnounced.renewed(maker, NAMES, due.plus(Duration.ofHours(24)));

        assertThat(announced.trusted()).hasSize(2);
        assertThat(announced.serving().isSignedBy(before.authority())).isTrue();
        assertThat(stillAnnounced).isEqualTo(announced);
        assertThat(inForce.authority()).isEqualTo(announced.nextAuthority());
        assertThat(inForce.nextAuthority()).isNull();
        assertThat(inForce.serving().isSignedBy(inForce.authority())).isTrue();
    }

    @Test
    void aSidecarThatReadsTheBundleOnceADayTrustsTheOperatorForTenYears() throws Exception {
        var now = START;
        var certificates = ServingCertificates.first(maker, NAMES, now);

        for (int day = 0; day < 3650; day += 1) {
            var bundleReadYesterday = certificates;
            now = now.plus(Duration.ofDays(1));
            certificates = certificates.renewed(maker, NAMES, now);

            assertThat(isTrusted(certificates, bundleReadYesterday, now))
                    .as("day %d", day)
                    .isTrue();
            assertThat(certificates.trusted().size()).isBetween(1, ServingCertificates.TRUSTED_MAX);
        }
    }

    @Test
    void anExpiredAuthorityIsReplacedWithoutWaiting() throws Exception {
        var first = ServingCertificates.first(maker, NAMES, START);
        var longAfter = START.plus(Duration.ofDays(1000));

        var renewed = first.renewed(maker, NAMES, longAfter);

        assertThat(renewed.authority()).isNotEqualTo(first.authority());
        assertThat(isTrusted(renewed, renewed, longAfter)).isTrue();
        assertThat(renewed.trusted()).containsExactly(renewed.authority().certificate());
    }

    @Test
    void anotherServiceNameMakesAnotherServingCertificate() {
        var first = ServingCertificates.first(maker, NAMES, START);

        var renamed = first.renewed(maker, List.of("other.svc"), START);

        assertThat(renamed.serving()).isNotEqualTo(first.serving());
        assertThat(renamed.trusted()).isEqualTo(first.trusted());
    }

    @Test
    void aSecretGivesBackWhatWasPutIn() throws Exception {
        var due = START.plus(CertificateMaker.AUTHORITY_LIFETIME).minus(ServingCertificates.AUTHORITY_RENEWAL);
        var rotating = livedUntil(due);

        var secret = ServingSecret.render("numa-system", rotating, "42");

        assertThat(rotating.nextAuthority()).isNotNull();
        assertThat(ServingSecret.parse(secret)).isEqualTo(rotating);
        assertThat(secret.getMetadata().getResourceVersion()).isEqualTo("42");
    }

    @Test
    void noTextFormShowsAKey() {
        var first = ServingCertificates.first(maker, NAMES, START);

        assertThat(first.toString()).doesNotContain("PRIVATE").doesNotContain("privateKey");
    }

    private ServingCertificates livedUntil(Instant end) {
        var certificates = ServingCertificates.first(maker, NAMES, START);
        for (var now = START; now.isBefore(end); now = now.plus(Duration.ofDays(1))) {
            certificates = certificates.renewed(maker, NAMES, now);
        }
        return certificates.renewed(maker, NAMES, end);
    }

    /** Path validation as a TLS client does it, with the authorities of {@code bundle}. */
    private static boolean isTrusted(ServingCertificates presented, ServingCertificates bundle, Instant now)
            throws Exception {
        Set<TrustAnchor> anchors = bundle.trusted().stream()
                .map(authority -> new TrustAnchor(authority, null))
                .collect(Collectors.toSet());
        var parameters = new PKIXParameters(anchors);
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(now));
        var path = CertificateFactory.getInstance("X.509")
                .generateCertPath(List.of(presented.serving().certificate()));
        try {
            CertPathValidator.getInstance("PKIX").validate(path, parameters);
            return true;
        } catch (java.security.cert.CertPathValidatorException untrusted) {
            return false;
        }
    }
}
