package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;

/** Sessions of client processes: {@code spec.slots}. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SlotsSpec(
        @JsonPropertyDescription("Sessions at once, over all client processes of the pod: 1 to 65535.") @Default("1024")
        Integer max) {
    public static final int MAX_DEFAULT = 1024;

    /** Owner fields in shared memory are 16 bits wide, and 0 means nobody. */
    public static final int MAX_LIMIT = 65_535;

    public static final SlotsSpec DEFAULT = new SlotsSpec(MAX_DEFAULT);

    public SlotsSpec {
        max = max == null ? MAX_DEFAULT : max;
    }
}
