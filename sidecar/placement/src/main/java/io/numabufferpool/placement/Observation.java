package io.numabufferpool.placement;

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
        OptionalLong memoryLimitBytes) {}
