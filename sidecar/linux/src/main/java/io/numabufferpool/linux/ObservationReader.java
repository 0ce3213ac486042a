package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Looks at the machine and at what this container may do there, for the planner. Each {@link #read()} is a new look, and
 * changes nothing. Thread-safe.
 */
public final class ObservationReader {
    /** A whole page whatever the kernel's size: arm64 has pages of 4, 16 or 64 KiB. */
    private static final long PAGE_BYTES = 65_536;

    private final Linux linux;
    private final NumaTopologyReader topology;
    private final CgroupReader cgroups;

    /** Of this machine and this process. */
    public ObservationReader(Linux linux) {
        this(linux, new NumaTopologyReader(), new CgroupReader());
    }

    public ObservationReader(Linux linux, NumaTopologyReader topology, CgroupReader cgroups) {
        this.linux = linux;
        this.topology = topology;
        this.cgroups = cgroups;
    }

    /** What is seen now. */
    public Observation read() {
        var status = linux.processStatus();
        return new Observation(
                topology.read(),
                status.memsAllowed(),
                status.cpusAllowed(),
                mbindAllowed(),
                taskPolicyNodes(),
                collapseSupported(),
                linux.kernelRelease(),
                cgroups.read().memoryLimitBytes());
    }

    /** Asked of the kernel: a page of our own keeps the default policy that it has. Seccomp would answer EPERM. */
    private boolean mbindAllowed() {
        try (var arena = Arena.ofConfined()) {
            var page = arena.allocate(PAGE_BYTES, PAGE_BYTES);
            return linux.bindMemory(page, MemoryPolicy.DEFAULT, NumaNodeSet.empty(), MemoryMove.LEAVE)
                    .ok();
        }
    }

    /** Asked of the kernel: advice for no bytes does nothing, but a kernel that does not know it answers EINVAL. */
    private boolean collapseSupported() {
        try (var arena = Arena.ofConfined()) {
            var page = arena.allocate(PAGE_BYTES, PAGE_BYTES);
            return linux.advise(page.asSlice(0, 0), Advice.COLLAPSE).ok();
        }
    }

    private NumaNodeSet taskPolicyNodes() {
        return linux.taskPolicy().map(TaskPolicy::numaNodes).orElseGet(this::nodesOfUsualPolicy);
    }

    /* Default seccomp profiles refuse get_mempolicy as well. numa_maps shows the task's policy for every mapping that has none
     * of its own (fs/proc/task_mmu.c, show_numa_map), so it is the commonest text; one "default" means there is none. */
    private NumaNodeSet nodesOfUsualPolicy() {
        var everything = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        var counts = linux.numaMaps(everything).stream()
                .map(NumaMaps.Line::policy)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        if (counts.containsKey("default")) {
            return NumaNodeSet.empty();
        }
        return counts.entrySet().stream()
                .max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(usual -> NumaMaps.policyNodes(usual.getKey()))
                .orElse(NumaNodeSet.empty());
    }
}
