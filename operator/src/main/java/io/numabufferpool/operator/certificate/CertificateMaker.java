package io.numabufferpool.operator.certificate;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes key pairs and X.509 certificates (RFC 5280): ECDSA on P-256, which every TLS client of the last decade knows. Thread-safe. */
final class CertificateMaker {
    /** Long enough that an authority is replaced rarely, short enough that it happens while somebody remembers how. */
    static final Duration AUTHORITY_LIFETIME = Duration.ofDays(730);

    static final Duration SERVING_LIFETIME = Duration.ofDays(90);

    /** Certificates begin this much in the past, so that a machine whose clock is late accepts them. */
    static final Duration CLOCK_SKEW = Duration.ofHours(1);

    /** RFC 5280 allows 20 octets; 16 random ones do not collide. */
    private static final int SERIAL_BYTES = 16;

    private static final String SIGNATURE = "SHA256withECDSA";
    private static final String COMMON_NAME = "numa-buffer-pool-operator";

    private final SecureRandom random = new SecureRandom();

    /** A self-signed authority that may sign serving certificates and no further authority. */
    Credential authority(Instant now) {
        var serial = serial();
        // The serial is part of the name: with two authorities of one name a client may try the wrong key only.
        var name = new X500Name("CN=" + COMMON_NAME + " CA " + HexFormat.of().formatHex(serial.toByteArray(), 0, 4));
        var pair = keyPair();
        var builder = new JcaX509v3CertificateBuilder(
                name,
                serial,
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(AUTHORITY_LIFETIME)),
                name,
                pair.getPublic());
        try {
            var identifiers = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            identifiers.createSubjectKeyIdentifier(pair.getPublic()));
        } catch (CertIOException | GeneralSecurityException bug) {
            throw new IllegalStateException("extensions of a certificate authority cannot be encoded", bug);
        }
        return new Credential(pair.getPrivate(), sign(builder, pair.getPrivate()));
    }

    /** A server's certificate for these DNS names; it never outlives its authority. */
    Credential serving(Credential authority, List<String> dnsNames, Instant now) {
        var pair = keyPair();
        var wanted = now.plus(SERVING_LIFETIME);
        var until = wanted.isBefore(authority.expiresAt()) ? wanted : authority.expiresAt();
        var builder = new JcaX509v3CertificateBuilder(
                authority.certificate(),
                serial(),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(until),
                new X500Name("CN=" + COMMON_NAME),
                pair.getPublic());
        var names = dnsNames.stream()
                .map(name -> new GeneralName(GeneralName.dNSName, name))
                .toArray(GeneralName[]::new);
        try {
            var identifiers = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            identifiers.createAuthorityKeyIdentifier(authority.certificate()));
        } catch (CertIOException | GeneralSecurityException bug) {
            throw new IllegalStateException("extensions of the serving certificate cannot be encoded", bug);
        }
        return new Credential(pair.getPrivate(), sign(builder, authority.key()));
    }

    private java.security.cert.X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey issuerKey) {
        try {
            var signer = new JcaContentSignerBuilder(SIGNATURE).build(issuerKey);
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (OperatorCreationException | GeneralSecurityException bug) {
            throw new IllegalStateException("this Java runtime cannot sign by " + SIGNATURE, bug);
        }
    }

    private KeyPair keyPair() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("this Java runtime has no EC keys on P-256", bug);
        }
    }

    /** Positive, as RFC 5280 wants it. */
    private BigInteger serial() {
        var bytes = new byte[SERIAL_BYTES];
        random.nextBytes(bytes);
        bytes[0] = (byte) ((bytes[0] & 0x7f) | 0x40);
        return new BigInteger(1, bytes);
    }
}
