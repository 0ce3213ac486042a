package io.numabufferpool.placement;

/** Why the planner refused a request, or left a NUMA node out: one CamelCase word, the same as the condition's reason. */
public enum PlacementReason {
    /** The request contradicts itself, such as a size that is no multiple of the huge page size. */
    InvalidSpec("the request contradicts itself, such as a size that is not a multiple of the huge page size"),
    /** A node was asked for that the machine does not have. */
    NumaNodeNotPresent("a node was asked for that the machine does not have"),
    /** A node was asked for that has no memory. */
    NumaNodeWithoutMemory("the node has no memory"),
    /** A node without CPUs (CXL, HBM), and {@code memoryOnlyNodes} is Exclude. */
    MemoryOnlyNode("the node has memory but no CPUs (CXL, HBM), and memoryOnlyNodes is Exclude"),
    /** {@code Mems_allowed_list} of the container does not name the node. */
    NumaNodeNotAllowed("the container's Mems_allowed_list does not name the node"),
    /** The container may use the node's memory, but no allowed call, policy or CPU gets pages there. */
    NumaNodeUnreachable(
            "the container may use the node's memory, but neither mbind, a task policy nor an allowed CPU gets pages there"),
    /** After all that was left out, no node remains. */
    NoNumaNode("no node is left that the pool could lie on"),
    /** Fewer whole pages than nodes. */
    PoolTooSmall("the pool has fewer whole pages than there are nodes"),
    /** A node has fewer free reserved huge pages than its share. */
    InsufficientHugePages("a node has fewer free reserved huge pages than its share of the pool"),
    /** A node's whole memory is smaller than its share. */
    InsufficientMemory("a node's whole memory is smaller than its share of the pool"),
    /** The container's memory limit leaves no room for the buffers. */
    MemoryLimitTooSmall("the container's memory limit leaves no room for the buffers");

    private final String meaning;

    PlacementReason(String meaning) {
        this.meaning = meaning;
    }

    /** What is the case, as half a sentence for a reference table. */
    public String meaning() {
        return meaning;
    }
}
