package io.numabufferpool.operator.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * What a service account token says of itself. Nothing here is verified: it only lets a refusal name its cause, and saves
 * the API server reviews of tokens that cannot pass. Immutable.
 */
record TokenClaims(List<String> audiences, Instant expiresAt) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Empty where the text is no JSON Web Token (RFC 7519) with an expiry. */
    static Optional<TokenClaims> peek(String token) {
        var parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            var payload = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
            var claims = JSON.readTree(payload);
            return claims.path("exp").canConvertToLong() && claims.path("exp").isNumber()
                    ? Optional.of(new TokenClaims(audiences(claims.path("aud")), expiry(claims)))
                    : Optional.empty();
        } catch (IllegalArgumentException | JsonProcessingException notAToken) {
            return Optional.empty();
        }
    }

    private static Instant expiry(JsonNode claims) {
        // Clamped: a forged number outside what Instant can hold must not become an exception.
        long seconds = Math.clamp(claims.path("exp").longValue(), 0L, Instant.MAX.getEpochSecond());
        return Instant.ofEpochSecond(seconds);
    }

    private static List<String> audiences(JsonNode aud) {
        if (aud.isTextual()) {
            return List.of(aud.textValue());
        }
        var audiences = new ArrayList<String>();
        aud.forEach(one -> audiences.add(one.asText()));
        return List.copyOf(audiences);
    }
}
