package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.numabufferpool.placement.HugePageMode;

/** Which pages the buffers lie in: {@code spec.hugePages}. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HugePagesSpec(
        @JsonPropertyDescription(
                "Transparent: 2 MiB pages without any preparation. Reserved: hugetlb pages, which the pod requests. Never:"
                        + " 4 KiB pages, for comparison.")
        @Default("Transparent")
        HugePageMode mode,

        @JsonPropertyDescription("Size of a huge page; 1Gi only with mode Reserved.") @Default("2Mi")
        HugePageUnit size) {
    public static final HugePagesSpec DEFAULT = new HugePagesSpec(HugePageMode.Transparent, HugePageUnit.MI_2);

    public HugePagesSpec {
        mode = mode == null ? HugePageMode.Transparent : mode;
        size = size == null ? HugePageUnit.MI_2 : size;
    }
}
