package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What a sidecar sends to the operator. Immutable.
 *
 * @param sequence counts the sidecar's reports from 1; a lower one than the last is old
 * @param generation of the segment, hexadecimal; absent before there is one
 * @param pool that the sidecar was injected for
 * @param pod that the sidecar runs in
 * @param decision in force; absent while the sidecar asks for one
 * @param status what the operator writes into the NumaPlacement
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacementReport(
        long sequence,
        @Nullable String generation,
        PoolReference pool,
        PodReference pod,
        @Nullable NumaPlacementDecision decision,
        NumaPlacementStatus status) {
    /** The operator reads no longer body than this. */
    public static final int BODY_BYTES_MAX = 256 << 10;
}
