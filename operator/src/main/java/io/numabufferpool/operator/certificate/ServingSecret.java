package io.numabufferpool.operator.certificate;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.numabufferpool.operator.cluster.Labels;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The Secret {@code numa-buffer-pool-operator-tls} as a value: {@link ServingCertificates} to its data and back. */
final class ServingSecret {
    private static final String SERVING_CERTIFICATE = "tls.crt";
    private static final String SERVING_KEY = "tls.key";
    private static final String BUNDLE = "ca.crt";
    private static final String AUTHORITY_CERTIFICATE = "authority.crt";
    private static final String AUTHORITY_KEY = "authority.key";
    private static final String NEXT_CERTIFICATE = "next-authority.crt";
    private static final String NEXT_KEY = "next-authority.key";

    private ServingSecret() {}

    /** The Secret. {@code resourceVersion}: of the Secret that is replaced, so that only one of two replicas succeeds; null to create it */
    static Secret render(String namespace, ServingCertificates certificates, @Nullable String resourceVersion) {
        var data = new TreeMap<String, String>();
        put(data, certificates.serving(), SERVING_CERTIFICATE, SERVING_KEY);
        put(data, certificates.authority(), AUTHORITY_CERTIFICATE, AUTHORITY_KEY);
        var next = certificates.nextAuthority();
        if (next != null) {
            put(data, next, NEXT_CERTIFICATE, NEXT_KEY);
        }
        data.put(BUNDLE, encode(certificates.trustedPem()));
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(ResourceNames.TLS_SECRET)
                .withResourceVersion(resourceVersion)
                .addToLabels(Labels.MANAGED_BY, Labels.OPERATOR)
                .endMetadata()
                .withType("kubernetes.io/tls")
                .withData(data)
                .build();
    }

    private static void put(Map<String, String> data, Credential credential, String certificateKey, String keyKey) {
        data.put(certificateKey, encode(Pem.render(List.of(credential.certificate()))));
        data.put(keyKey, encode(Pem.render(credential.key())));
    }

    /** Throws with the key that is missing or unreadable: somebody else wrote into the Secret. */
    static ServingCertificates parse(Secret secret) throws GeneralSecurityException {
        var hasNext = secret.getData() != null && secret.getData().containsKey(NEXT_CERTIFICATE);
        return new ServingCertificates(
                credential(secret, AUTHORITY_CERTIFICATE, AUTHORITY_KEY),
                hasNext ? credential(secret, NEXT_CERTIFICATE, NEXT_KEY) : null,
                credential(secret, SERVING_CERTIFICATE, SERVING_KEY),
                Pem.certificates(text(secret, BUNDLE)));
    }

    private static Credential credential(Secret secret, String certificateKey, String keyKey)
            throws GeneralSecurityException {
        var certificates = Pem.certificates(text(secret, certificateKey));
        if (certificates.size() != 1) {
            throw new GeneralSecurityException(
                    certificateKey + " holds " + certificates.size() + " certificates, not 1");
        }
        return new Credential(Pem.privateKey(text(secret, keyKey)), certificates.getFirst());
    }

    private static String text(Secret secret, String key) throws GeneralSecurityException {
        var encoded = secret.getData() == null ? null : secret.getData().get(key);
        if (encoded == null) {
            throw new GeneralSecurityException("key " + key + " is missing");
        }
        try {
            return new String(Base64.getDecoder().decode(encoded), StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException notBase64) {
            throw new GeneralSecurityException("key " + key + " is not Base64", notBase64);
        }
    }

    private static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
