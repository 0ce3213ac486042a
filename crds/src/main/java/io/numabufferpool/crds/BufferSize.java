package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Bytes of one buffer: {@code spec.bufferSize}. */
public enum BufferSize {
    @JsonProperty("4Ki")
    KI_4("4Ki", 4 << 10),
    @JsonProperty("8Ki")
    KI_8("8Ki", 8 << 10),
    @JsonProperty("16Ki")
    KI_16("16Ki", 16 << 10),
    @JsonProperty("32Ki")
    KI_32("32Ki", 32 << 10),
    @JsonProperty("64Ki")
    KI_64("64Ki", 64 << 10);

    private final String text;
    private final int bytes;

    BufferSize(String text, int bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /** As the API writes it: {@code 8Ki}. */
    public String text() {
        return text;
    }

    public int bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return text;
    }
}
