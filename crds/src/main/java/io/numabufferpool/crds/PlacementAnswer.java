package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What the operator answers to a report. Immutable.
 *
 * @param decision where the segment goes; absent with a problem, and while there is nothing to decide
 * @param problem why nothing can be placed
 * @param pool the pool as it is now, where the sidecar works from an older generation of it; else absent
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacementAnswer(
        @Nullable NumaPlacementDecision decision,
        @Nullable Problem problem,
        @Nullable PoolNow pool) {

    /** A newer generation of the pool. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PoolNow(long generation, NumaBufferPoolSpec spec) {}

    /** Why nothing can be placed: the condition's reason, and a sentence with the fix. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Problem(String reason, String message) {}

    public static PlacementAnswer of(NumaPlacementDecision decision) {
        return new PlacementAnswer(decision, null, null);
    }

    public static PlacementAnswer refused(String reason, String message) {
        return new PlacementAnswer(null, new Problem(reason, message), null);
    }

    /** The same with the pool as it is now. */
    public PlacementAnswer with(PoolNow now) {
        return new PlacementAnswer(decision, problem, now);
    }
}
