package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Map;

/** Requests and limits of the sidecar container, as Kubernetes quantities by resource name. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SidecarResources(
        @JsonPropertyDescription("Limits by resource name.") Map<String, String> limits,

        @JsonPropertyDescription("Requests by resource name.")
        Map<String, String> requests) {
    public SidecarResources {
        limits = limits == null ? Map.of() : Map.copyOf(limits);
        requests = requests == null ? Map.of() : Map.copyOf(requests);
    }
}
