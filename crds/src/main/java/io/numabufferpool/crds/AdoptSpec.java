package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Segments that unmodified programs allocate themselves: {@code spec.adopt}. Not available in this version. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AdoptSpec(
        @JsonPropertyDescription("Names of the containers whose segments are placed.")
        List<String> containers,

        @JsonPropertyDescription("Smaller segments stay as they are.") @Nullable
        String minSize,

        @JsonPropertyDescription("How the segments are made.")
        List<AdoptKind> kinds) {
    public AdoptSpec {
        containers = containers == null ? List.of() : List.copyOf(containers);
        kinds = kinds == null ? List.of() : List.copyOf(kinds);
    }
}
