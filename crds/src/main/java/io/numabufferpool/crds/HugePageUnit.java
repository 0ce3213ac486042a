package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Size of a huge page: {@code spec.hugePages.size}. */
public enum HugePageUnit {
    @JsonProperty("2Mi")
    MI_2("2Mi", 2L << 20),
    @JsonProperty("1Gi")
    GI_1("1Gi", 1L << 30);

    private final String text;
    private final long bytes;

    HugePageUnit(String text, long bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /** As the API writes it: {@code 2Mi}. */
    public String text() {
        return text;
    }

    public long bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return text;
    }
}
