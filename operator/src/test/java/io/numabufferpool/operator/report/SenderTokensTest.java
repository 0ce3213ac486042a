package io.numabufferpool.operator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From a token to its pod. What the API server really answers is tested in the lane apiserver; here it is scripted. */
final class SenderTokensTest {
    private final MovableClock clock = new MovableClock(Instant.parse("2026-12-01T00:00:00Z"));
    private final AtomicInteger reviews = new AtomicInteger();

    @Test
    void theSenderIsThePodThatTheApiServerNames() {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of("numabufferpool.io")));

        assertThat(tokens.identify(token("numabufferpool.io", 3600)))
                .isEqualTo(new Sender("shop", "orders-0", "uid-0"));
    }

    @Test
    void aTokenIsReviewedOnceAMinute() {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of("numabufferpool.io")));
        var token = token("numabufferpool.io", 3600);

        tokens.identify(token);
        clock.pass(Duration.ofSeconds(59));
        tokens.identify(token);
        assertThat(reviews).hasValue(1);
        clock.pass(Duration.ofSeconds(1));
        tokens.identify(token);

        assertThat(reviews).hasValue(2);
    }

    @Test
    void aRememberedTokenIsRefusedFromTheSecondItExpires() {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of("numabufferpool.io")));
        var token = token("numabufferpool.io", 30);
        tokens.identify(token);

        clock.pass(Duration.ofSeconds(30));

        assertThat(refusal(tokens, token).getMessage())
                .isEqualTo(
                        "The token expired at 2026-12-01T00:00:30Z; the kubelet renews the file, so read it again before"
                                + " each report.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''         | The request carries no bearer token; send the projected service account token with audience numabufferpool.io.
            abc        | The bearer token is no service account token; send the projected one with audience numabufferpool.io.
            a.b.c      | The bearer token is no service account token; send the projected one with audience numabufferpool.io.
            a.bnVsbA.c | The bearer token is no service account token; send the projected one with audience numabufferpool.io.
            """)
    void whatIsNoTokenNeverReachesTheApiServer(String token, String message) {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of("numabufferpool.io")));

        assertThat(refusal(tokens, token).getMessage()).isEqualTo(message);
        assertThat(reviews).hasValue(0);
    }

    @Test
    void aTokenForAnotherAudienceIsRefusedByItsName() {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of("numabufferpool.io")));

        var refusal = refusal(tokens, token("https://kubernetes.default.svc", 3600));

        assertThat(refusal.status()).isEqualTo(401);
        assertThat(refusal.getMessage())
                .isEqualTo("The token's audience is [https://kubernetes.default.svc], not numabufferpool.io; send the"
                        + " projected service account token made for it.");
        assertThat(reviews).hasValue(0);
    }

    @Test
    void anApiServerThatDoesNotConfirmTheAudienceIsNotEnough() {
        var tokens = tokens(accepted("system:serviceaccount:shop:default", List.of()));

        assertThat(refusal(tokens, token("numabufferpool.io", 3600)).getMessage())
                .isEqualTo("The API server does not confirm the audience numabufferpool.io of the token.");
    }

    @Test
    void aPersonsTokenIsNoPods() {
        var tokens = tokens(accepted("admin", List.of("numabufferpool.io")));

        assertThat(refusal(tokens, token("numabufferpool.io", 3600)).getMessage())
                .isEqualTo("The token of admin is bound to no pod; send the pod's projected service account token.");
    }

    @Test
    void aRefusalIsRememberedOnlyShortly() {
        var tokens = tokens(request -> new TokenReviewBuilder()
                .withNewStatus()
                .withAuthenticated(false)
                .withError("[invalid bearer token, square/go-jose: error]")
                .endStatus()
                .build());
        var token = token("numabufferpool.io", 3600);

        assertThat(refusal(tokens, token).getMessage())
                .isEqualTo("The API server does not accept the token: [invalid bearer token, square/go-jose: error].");
        refusal(tokens, token);
        assertThat(reviews).hasValue(1);
        clock.pass(SenderTokens.REFUSAL_REMEMBERED);
        refusal(tokens, token);

        assertThat(reviews).hasValue(2);
    }

    @Test
    void anApiServerThatIsAwayIsNotARefusedToken() {
        var tokens = tokens(request -> {
            throw new KubernetesClientException("connection refused");
        });
        var token = token("numabufferpool.io", 3600);

        assertThat(refusal(tokens, token).status()).isEqualTo(503);
        refusal(tokens, token);

        assertThat(reviews).as("nothing is remembered").hasValue(2);
    }

    @Test
    void aFloodOfInventedTokensStopsBeforeTheApiServer() {
        var tokens = tokens(request -> new TokenReviewBuilder()
                .withNewStatus()
                .withAuthenticated(false)
                .endStatus()
                .build());

        ReportRefused last = null;
        for (int i = 0; i < 1000; i++) {
            last = refusal(tokens, token("numabufferpool.io", 3600 + i));
        }

        assertThat(reviews.get()).isEqualTo(500);
        assertThat(last.status()).isEqualTo(503);
    }

    private SenderTokens tokens(UnaryOperator<TokenReview> apiServer) {
        return new SenderTokens(
                request -> {
                    reviews.incrementAndGet();
                    assertThat(request.getSpec().getAudiences()).containsExactly("numabufferpool.io");
                    return apiServer.apply(request);
                },
                clock);
    }

    private static UnaryOperator<TokenReview> accepted(String username, List<String> audiences) {
        return request -> new TokenReviewBuilder()
                .withNewStatus()
                .withAuthenticated(true)
                .withAudiences(audiences)
                .withNewUser()
                .withUsername(username)
                .withExtra(Map.of(
                        "authentication.kubernetes.io/pod-name", List.of("orders-0"),
                        "authentication.kubernetes.io/pod-uid", List.of("uid-0")))
                .endUser()
                .endStatus()
                .build();
    }

    private String token(String audience, long lifeSeconds) {
        var payload =
                "{\"aud\":[\"" + audience + "\"],\"exp\":" + (clock.instant().getEpochSecond() + lifeSeconds) + "}";
        var encoded = Base64.getUrlEncoder().withoutPadding().encodeToString(payload.getBytes(StandardCharsets.UTF_8));
        return "header." + encoded + ".signature";
    }

    private static ReportRefused refusal(SenderTokens tokens, String token) {
        return catchThrowableOfType(ReportRefused.class, () -> tokens.identify(token));
    }
}
