package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/**
 * One clock-sweep partition of one pod's segment. Immutable.
 *
 * @param partition 0-based
 * @param numaNode its node, or -1 where its pages lie on several
 * @param wantedBytes bytes of its buffers
 * @param placedBytes those that lie on its node; equal to wantedBytes where it has no single node
 * @param bufferCount its buffers
 * @param buffersUsed those that hold a block
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PartitionUsage(
        @JsonPropertyDescription("Number of the partition, from 0.")
        int partition,

        @JsonPropertyDescription("Its NUMA node; -1 where its pages lie on several.")
        int numaNode,

        @JsonPropertyDescription("Bytes of its buffers.") long wantedBytes,

        @JsonPropertyDescription("Those of them that lie on its node.")
        long placedBytes,

        @JsonPropertyDescription("Its buffers.") long bufferCount,

        @JsonPropertyDescription("Those of them that hold a block.")
        long buffersUsed) {}
