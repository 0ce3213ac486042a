package io.numabufferpool.server.segment;

import io.numabufferpool.linux.NumaLane;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Placing on several real NUMA nodes. */
@Tag("numa")
class PlacementNumaLaneTest {
    @TestFactory
    Stream<DynamicTest> onNumaNodes() {
        return NumaLane.run(PlacementOnNumaNodes.class, PlacementMatrixOnNumaNodes.class);
    }
}
