package io.numabufferpool.server.segment;

import io.numabufferpool.placement.CpuSet;
import java.util.Map;

/**
 * What placing needs beside the kernel's calls.
 *
 * @param cpusOfNode allowed CPUs from which a first touch lands on that node
 * @param nodeMemory how much a node can give
 * @param progress who watches
 */
public record PlacementTools(Map<Integer, CpuSet> cpusOfNode, NodeMemory nodeMemory, Progress progress) {
    public PlacementTools {
        cpusOfNode = Map.copyOf(cpusOfNode);
    }
}
