package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** Segments that programs make at run time: {@code spec.dynamicSegments}. Not available in this version. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DynamicSegmentsSpec(
        @JsonPropertyDescription("Bytes of all of them together.") @Nullable
        String maxSize) {}
