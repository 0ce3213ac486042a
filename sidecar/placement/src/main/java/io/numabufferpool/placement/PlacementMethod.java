package io.numabufferpool.placement;

/** By what right pages get to their NUMA node: the placement ladder, best first. */
public enum PlacementMethod {
    /** {@code mbind(2)} on each range: seccomp allows it. */
    Mbind,
    /** The memory policy that the runtime had set for the task before it started. */
    TaskPolicy,
    /** One thread per NUMA node, bound to CPUs of that node, touches the node's share first. Every default profile allows it. */
    PinnedFirstTouch,
    /** Nothing chose a node: the kernel's first touch wherever the thread ran. */
    None
}
