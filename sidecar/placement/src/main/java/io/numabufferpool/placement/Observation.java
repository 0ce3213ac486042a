package io.numabufferpool.placement;

import java.util.Map;
import java.util.OptionalLong;

/**
 * What a sidecar sees from inside its container, before it decides. Immutable.
 *
 * @param topology the machine's NUMA nodes
 * @param memsAllowed {@code Mems_allowed_list} of /proc/self/status
 * @param cpusAllowed {@code Cpus_allowed_list} of /proc/self/status
 * @param mbindAllowed whether seccomp lets {@code mbind(2)} through
 * @param taskPolicyNodes nodes of a memory policy that the runtime had set for the task; empty where there is none
 * @param collapseSupported whether this kernel knows {@code MADV_COLLAPSE} (Linux 6.1)
 * @param kernelRelease as {@code uname -r}
 * @param memoryLimitBytes the container's memory limit; empty where there is none
 */
public record Observation(
        NumaTopology topology,
        NumaNodeSet memsAllowed,
        CpuSet cpusAllowed,
        boolean mbindAllowed,
        NumaNodeSet taskPolicyNodes,
        boolean collapseSupported,
        String kernelRelease,
        OptionalLong memoryLimitBytes) {
    /** As seen if these bytes by NUMA node were free as well: those of a segment that is placed anew. */
    public Observation withFree(Map<Integer, Long> bytesOfNode) {
        var nodes = topology.numaNodes().stream()
                .map(node -> new NumaNode(
                        node.index(),
                        node.cpus(),
                        node.memoryBytes(),
                        Math.min(node.memoryBytes(), node.freeBytes() + bytesOfNode.getOrDefault(node.index(), 0L)),
                        node.hugePages(),
                        node.distances(),
                        node.interleaveWeight()))
                .toList();
        return new Observation(
                new NumaTopology(nodes),
                memsAllowed,
                cpusAllowed,
                mbindAllowed,
                taskPolicyNodes,
                collapseSupported,
                kernelRelease,
                memoryLimitBytes);
    }
}
