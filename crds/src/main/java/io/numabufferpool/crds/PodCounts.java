package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/**
 * How many pods have the pool. Immutable.
 *
 * @param matched pods that carry its label and are not finished
 * @param ready those whose segment serves as decided
 * @param degraded those whose segment serves, but not as decided
 * @param summary {@code ready/matched}, for the table of {@code kubectl get}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodCounts(
        @JsonPropertyDescription("Pods that carry the pool's label and are not finished.")
        int matched,

        @JsonPropertyDescription("Those whose segment serves as decided.")
        int ready,

        @JsonPropertyDescription("Those whose segment serves, but not as decided.")
        int degraded,

        @JsonPropertyDescription("ready/matched.") String summary) {

    /** With {@code summary} worked out. */
    public static PodCounts of(int matched, int ready, int degraded) {
        return new PodCounts(matched, ready, degraded, ready + "/" + matched);
    }
}
