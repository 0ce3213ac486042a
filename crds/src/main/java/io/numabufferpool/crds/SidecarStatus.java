package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/**
 * The sidecar process that reports, which is replaced where its image is patched while the segment stays. Immutable.
 *
 * @param version of the program, such as {@code 0.1.0}
 * @param startedAt when the process started, RFC 3339: another one is another process
 * @param readopted whether it found its segment there and took it over
 * @param clientsReaped clients that died without detaching, since this process started
 * @param pinsReaped pins of theirs that it gave back
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SidecarStatus(
        @JsonPropertyDescription("Version of the sidecar's program.")
        String version,

        @JsonPropertyDescription("When this process of the sidecar started.")
        String startedAt,

        @JsonPropertyDescription("Whether it took over a segment that was there.")
        boolean readopted,

        @JsonPropertyDescription("Clients that died without detaching, since the start.")
        long clientsReaped,

        @JsonPropertyDescription("Pins of theirs that were given back.")
        long pinsReaped) {}
