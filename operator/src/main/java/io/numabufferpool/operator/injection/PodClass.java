package io.numabufferpool.operator.injection;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.stream.StreamSupport;

/** Whether a pod is Guaranteed, as the kubelet sees it: by the pod's own resources where it has them, else by every container's. */
final class PodClass {
    private static final List<String> COUNTED = List.of("cpu", "memory");

    private PodClass() {}

    static boolean isGuaranteed(JsonNode pod) {
        var own = pod.at("/spec/resources");
        if (own.has("limits") || own.has("requests")) {
            return COUNTED.stream()
                    .allMatch(resource -> own.at("/limits").has(resource)
                            && own.at("/requests").has(resource)
                            && isSame(own.at("/limits"), own.at("/requests"), resource));
        }
        return all(pod.at("/spec/containers")) && all(pod.at("/spec/initContainers"));
    }

    private static boolean all(JsonNode containers) {
        return StreamSupport.stream(containers.spliterator(), false)
                .allMatch(container -> COUNTED.stream().allMatch(resource -> isExact(container, resource)));
    }

    /** A missing request follows from the limit. */
    private static boolean isExact(JsonNode container, String resource) {
        var limits = container.at("/resources/limits");
        var requests = container.at("/resources/requests");
        return limits.has(resource) && (!requests.has(resource) || isSame(limits, requests, resource));
    }

    private static boolean isSame(JsonNode limits, JsonNode requests, String resource) {
        return amount(limits, resource).equals(amount(requests, resource));
    }

    private static Quantity amount(JsonNode resources, String resource) {
        return new Quantity(resources.get(resource).asText());
    }
}
