package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** Whose segment it is, and what was decided for it; no decision while there is none, or while the pool is refused. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NumaPlacementSpec(
        @JsonPropertyDescription("The pool.") PoolReference pool,
        @JsonPropertyDescription("The pod.") PodReference pod,

        @JsonPropertyDescription("Where the segment goes; absent while nothing is decided.") @Nullable
        NumaPlacementDecision decision) {}
