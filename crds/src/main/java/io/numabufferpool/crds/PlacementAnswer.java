package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/** What the operator answers to a report: a decision or a problem, one of the two. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacementAnswer(
        @Nullable NumaPlacementDecision decision, @Nullable Problem problem) {

    /** Why nothing can be placed: the condition's reason, and a sentence with the fix. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Problem(String reason, String message) {}

    public static PlacementAnswer of(NumaPlacementDecision decision) {
        return new PlacementAnswer(decision, null);
    }

    public static PlacementAnswer refused(String reason, String message) {
        return new PlacementAnswer(null, new Problem(reason, message));
    }
}
