package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;

/** The memory policy of a thread. */
public record TaskPolicy(MemoryPolicy policy, NumaNodeSet numaNodes) {}
