package io.numabufferpool.operator.injection;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.numabufferpool.operator.cluster.Labels;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/**
 * Answers an AdmissionReview (admission.k8s.io/v1) about a labelled pod. It never refuses: a pod without its pool is left as it
 * is, and the guard's ValidatingAdmissionPolicy has the sentence. Thread-safe.
 */
public final class InjectionDesk implements UnaryOperator<String> {
    /** A request that is none. The API server fails the pod's creation with this text. */
    public static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Logger LOG = Logger.getLogger(InjectionDesk.class);

    private final BiFunction<String, String, Optional<JsonNode>> pools;
    private final InjectionSettings settings;

    /** @param pools from namespace and name to the pool as the API server has it, read afresh: a cache may lag behind */
    public InjectionDesk(BiFunction<String, String, Optional<JsonNode>> pools, InjectionSettings settings) {
        this.pools = pools;
        this.settings = settings;
    }

    /** From the AdmissionReview to its answer. @throws Malformed where the text is no such review */
    @Override
    public String apply(String review) {
        var request = request(review);
        var response = JsonNodeFactory.instance
                .objectNode()
                .put("uid", request.path("uid").asText())
                .put("allowed", true);
        var pod = request.path("object");
        var name = pod.at("/metadata/labels").path(Labels.POOL).asText();
        var namespace = request.path("namespace").asText();
        if (!name.isEmpty()) {
            pools.apply(namespace, name)
                    .map(pool -> PodInjection.patch(pod, pool, settings))
                    .filter(patch -> !patch.isEmpty())
                    .ifPresent(patch -> {
                        var bytes = patch.toString().getBytes(StandardCharsets.UTF_8);
                        response.put("patchType", "JSONPatch")
                                .put("patch", Base64.getEncoder().encodeToString(bytes));
                        LOG.debugv("sidecar injected: namespace={0} pool={1}", namespace, name);
                    });
        }
        var answer = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "admission.k8s.io/v1")
                .put("kind", "AdmissionReview");
        answer.set("response", response);
        return answer.toString();
    }

    private static JsonNode request(String review) {
        JsonNode parsed;
        try {
            parsed = JSON.readTree(review);
        } catch (JsonProcessingException notJson) {
            throw new Malformed("The body is no JSON: " + notJson.getOriginalMessage());
        }
        var request = parsed.path("request");
        if (!parsed.path("kind").asText().equals("AdmissionReview")
                || request.path("uid").asText().isEmpty()
                || !request.path("object").isObject()) {
            throw new Malformed("The body is no AdmissionReview of admission.k8s.io/v1 with an object.");
        }
        return request;
    }
}
