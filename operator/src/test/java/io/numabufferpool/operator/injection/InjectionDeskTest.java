package io.numabufferpool.operator.injection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The review's own form; what is injected is compared with the policy on a real API server (WebhookIT). */
final class InjectionDeskTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POOL = """
            {"metadata": {"name": "orders", "uid": "p", "generation": 3}, "spec": {"size": 67108864, "containers": ["app"]}}""";

    private final InjectionDesk desk = new InjectionDesk(
            (namespace, name) -> namespace.equals("shop") && name.equals("orders") ? pool() : Optional.empty(),
            new InjectionSettings("sidecar:1", "Always", "100m", "", "500m", "", "https://operator:443"));

    private static Optional<JsonNode> pool() {
        try {
            return Optional.of(JSON.readTree(POOL));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String review(String pod) {
        return """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                 "request": {"uid": "42", "namespace": "shop", "operation": "CREATE", "object": %s}}
                """.formatted(pod);
    }

    private static String pod(String pool, String spec) {
        return """
                {"metadata": {"name": "db-0", "labels": {"numabufferpool.io/pool": "%s"}}, "spec": %s}
                """.formatted(pool, spec);
    }

    private JsonNode response(String review) throws Exception {
        var answer = JSON.readTree(desk.apply(review));
        assertThat(answer.path("kind").asText()).isEqualTo("AdmissionReview");
        assertThat(answer.at("/response/uid").asText()).isEqualTo("42");
        assertThat(answer.at("/response/allowed").asBoolean()).isTrue();
        return answer.path("response");
    }

    @Test
    void aFieldThatNoModelKnowsIsNotTouched() throws Exception {
        var spec =
                "{\"fromTheFuture\": {\"a\": [1]}, \"containers\": [{\"name\": \"app\", \"also\": true}, {\"name\": \"log\"}]}";

        var patch = response(review(pod("orders", spec))).path("patch").asText();

        var operations = JSON.readTree(Base64.getDecoder().decode(patch));
        assertThat(operations).allSatisfy(operation -> {
            assertThat(operation.path("op").asText()).isEqualTo("add");
            assertThat(operation.path("path").asText())
                    .matches("/spec/(containers/0/(env|volumeMounts)(/-)?|volumes(/-)?|initContainers(/0)?)"
                            + "|/metadata/annotations(/numabufferpool.io~1pool-generation)?");
        });
        assertThat(operations.findValuesAsText("value")).contains("3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"containers\": [{\"name\": \"numa-buffer-pool\"}]}",
                "{\"containers\": [{\"name\": \"app\"}], \"initContainers\": [{\"name\": \"numa-buffer-pool\"}]}",
                "{\"containers\": [{\"name\": \"app\"}], \"volumes\": [{\"name\": \"numa-buffer-pool-attach\"}]}",
                "{\"containers\": [{\"name\": \"app\", \"volumeMounts\": [{\"name\": \"x\", \"mountPath\": \"/run/numa-buffer-pool\"}]}]}"
            })
    void aPodThatBringsSomethingOfOurNameIsLeftToTheGuard(String spec) throws Exception {
        assertThat(response(review(pod("orders", spec))).has("patch")).isFalse();
    }

    @Test
    void aMirrorPodAndAPodWithoutItsPoolAreLeftAsTheyAre() throws Exception {
        var mirror = """
                {"metadata": {"labels": {"numabufferpool.io/pool": "orders"}, "annotations": {"kubernetes.io/config.mirror": "x"}},
                 "spec": {"containers": [{"name": "app"}]}}
                """;

        assertThat(response(review(mirror)).has("patch")).isFalse();
        assertThat(response(review(pod("gone", "{\"containers\": []}"))).has("patch"))
                .isFalse();
        assertThat(response(review("{\"metadata\": {}, \"spec\": {}}")).has("patch"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"kind\": \"AdmissionReview\"}",
                "{\"kind\": \"Pod\", \"request\": {\"uid\": \"1\"}}"
            })
    void whatIsNoReviewIsSaidToBeNone(String body) {
        assertThatThrownBy(() -> desk.apply(body))
                .isInstanceOf(InjectionDesk.Malformed.class)
                .hasMessageStartingWith("The body is no ");
    }
}
