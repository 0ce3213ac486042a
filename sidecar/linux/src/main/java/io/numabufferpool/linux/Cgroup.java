package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What control groups allow this process.
 *
 * @param cpus the effective cpuset, empty where no cpuset controller can be seen
 * @param mems its effective NUMA nodes, empty likewise
 * @param memoryLimitBytes the lowest limit of the group and its ancestors, empty where none has one
 */
public record Cgroup(Optional<CpuSet> cpus, Optional<NumaNodeSet> mems, OptionalLong memoryLimitBytes) {}
