package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/**
 * Which pool, and which generation of it. Immutable.
 *
 * @param name in the pod's namespace
 * @param uid of the object
 * @param generation of the spec that the sidecar works from
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PoolReference(
        @JsonPropertyDescription("Name of the NumaBufferPool.")
        String name,

        @JsonPropertyDescription("Its uid.") String uid,

        @JsonPropertyDescription("The generation of its spec that the sidecar works from.")
        long generation) {}
