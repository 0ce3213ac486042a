package io.numabufferpool.operator.report;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * From a bearer token to the pod it was issued for, by TokenReview. Thread-safe. Answers are remembered by the token's
 * hash, good ones for {@link #REMEMBERED}, so a pod that was deleted is believed at most that long.
 */
final class SenderTokens {
    /** The audience of the sidecar's projected token; a token for anything else is of no use here. */
    static final String AUDIENCE = "numabufferpool.io";

    /** The API server itself caches a token's review for 10 s; a minute makes one review per pod and minute. */
    static final Duration REMEMBERED = Duration.ofSeconds(60);

    /** Short, so that a pod whose token was refused during a hiccup is not shut out for a minute. */
    static final Duration REFUSAL_REMEMBERED = Duration.ofSeconds(10);

    /** A service account token has 1 to 2 KiB. */
    private static final int TOKEN_CHARS_MAX = 8 * 1024;

    /** More pods than a cluster is tested for (150,000 in all, of which few have pools); 200 bytes each. */
    private static final int TOKENS_MAX = 20_000;

    /** A flood of invented tokens must not reach the API server: 50 reviews a second serve 3,000 pods a minute. */
    private static final int REVIEWS_PER_SECOND = 50;

    private static final int REVIEWS_BURST = 500;

    private static final Pattern SERVICE_ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):([^:]+)");
    private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    private static final String POD_UID = "authentication.kubernetes.io/pod-uid";

    private final UnaryOperator<TokenReview> reviewer;
    private final Clock clock;
    private final BoundedCache<String, Remembered> remembered = new BoundedCache<>(TOKENS_MAX);
    private final TokenBucket reviews;

    /** Ready to use; {@code reviewer}: sends a TokenReview to the API server and answers with what came back. */
    SenderTokens(UnaryOperator<TokenReview> reviewer, Clock clock) {
        this.reviewer = reviewer;
        this.clock = clock;
        this.reviews = new TokenBucket(REVIEWS_BURST, REVIEWS_PER_SECOND, clock);
    }

    private record Remembered(
            @Nullable Sender sender, @Nullable ReportRefused refusal, Instant until) {
        Sender answer() {
            if (refusal != null) {
                throw refusal;
            }
            if (sender == null) {
                throw new IllegalStateException("a remembered review has neither a sender nor a refusal");
            }
            return sender;
        }
    }

    /** The pod this token was issued for; throws {@link ReportRefused} with the reason. Calls the API server at times. */
    Sender identify(String token) {
        var now = clock.instant();
        var claims = checkClaims(token, now);
        var hash = hash(token);
        var known = remembered.find(hash).filter(entry -> now.isBefore(entry.until()));
        if (known.isPresent()) {
            return known.get().answer();
        }
        if (!reviews.tryTake()) {
            throw new ReportRefused(
                    ReportRefused.BUSY,
                    "More than " + REVIEWS_PER_SECOND
                            + " tokens a second are waiting for review; send the report again in" + " some seconds.");
        }
        var entry = review(token, claims, now);
        remembered.put(hash, entry);
        return entry.answer();
    }

    private static TokenClaims checkClaims(String token, Instant now) {
        if (token.isEmpty() || token.length() > TOKEN_CHARS_MAX) {
            throw unauthenticated(
                    "The request carries no bearer token; send the projected service account token with audience "
                            + AUDIENCE + ".");
        }
        var claims = TokenClaims.peek(token)
                .orElseThrow(() -> unauthenticated(
                        "The bearer token is no service account token; send the projected one with audience " + AUDIENCE
                                + "."));
        if (!claims.audiences().contains(AUDIENCE)) {
            throw unauthenticated("The token's audience is " + claims.audiences() + ", not " + AUDIENCE
                    + "; send the projected service account token made for it.");
        }
        if (!claims.expiresAt().isAfter(now)) {
            throw unauthenticated("The token expired at " + claims.expiresAt()
                    + "; the kubelet renews the file, so read it again before each report.");
        }
        return claims;
    }

    private Remembered review(String token, TokenClaims claims, Instant now) {
        var request = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .withAudiences(AUDIENCE)
                .endSpec()
                .build();
        TokenReviewStatus status;
        try {
            status = reviewer.apply(request).getStatus();
        } catch (KubernetesClientException e) {
            throw new ReportRefused(
                    ReportRefused.BUSY,
                    "The API server did not review the token (" + firstLine(e.getMessage())
                            + "); send the report again.");
        }
        try {
            var sender = sender(status);
            var until = now.plus(REMEMBERED);
            return new Remembered(sender, null, until.isBefore(claims.expiresAt()) ? until : claims.expiresAt());
        } catch (ReportRefused refusal) {
            return new Remembered(null, refusal, now.plus(REFUSAL_REMEMBERED));
        }
    }

    private static Sender sender(@Nullable TokenReviewStatus status) {
        if (status == null || !Boolean.TRUE.equals(status.getAuthenticated())) {
            var error = status == null ? null : status.getError();
            throw unauthenticated("The API server does not accept the token"
                    + (error == null || error.isEmpty() ? "." : ": " + firstLine(error) + "."));
        }
        if (!Optional.ofNullable(status.getAudiences()).orElse(List.of()).contains(AUDIENCE)) {
            throw unauthenticated("The API server does not confirm the audience " + AUDIENCE + " of the token.");
        }
        var username = Optional.ofNullable(status.getUser().getUsername()).orElse("");
        var account = SERVICE_ACCOUNT.matcher(username);
        var podName = extra(status, POD_NAME);
        var podUid = extra(status, POD_UID);
        if (!account.matches() || podName.isEmpty() || podUid.isEmpty()) {
            throw unauthenticated("The token of " + username
                    + " is bound to no pod; send the pod's projected service account" + " token.");
        }
        return new Sender(account.group(1), podName.get(), podUid.get());
    }

    private static Optional<String> extra(TokenReviewStatus status, String key) {
        Map<String, List<String>> extra =
                Optional.ofNullable(status.getUser().getExtra()).orElse(Map.of());
        return extra.getOrDefault(key, List.of()).stream().findFirst().filter(value -> !value.isEmpty());
    }

    private static ReportRefused unauthenticated(String message) {
        return new ReportRefused(ReportRefused.UNAUTHENTICATED, message);
    }

    private static String firstLine(@Nullable String text) {
        return text == null ? "no message" : text.lines().findFirst().orElse("no message");
    }

    private static String hash(String token) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException bug) {
            throw new IllegalStateException("every Java runtime has SHA-256", bug);
        }
    }
}
