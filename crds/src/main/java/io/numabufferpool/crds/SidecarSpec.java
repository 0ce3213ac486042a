package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** The injected sidecar container: {@code spec.sidecar}. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SidecarSpec(
        @JsonPropertyDescription("Its CPU request and limit; memory follows from spec.size.") @Nullable
        SidecarResources resources) {}
