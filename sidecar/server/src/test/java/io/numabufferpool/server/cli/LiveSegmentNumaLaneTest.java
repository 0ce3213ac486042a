package io.numabufferpool.server.cli;

import io.numabufferpool.linux.NumaLane;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Moving a segment that is in use between real NUMA nodes. */
@Tag("numa")
class LiveSegmentNumaLaneTest {
    @TestFactory
    Stream<DynamicTest> onNumaNodes() {
        return NumaLane.run(LiveSegmentOnNumaNodes.class);
    }
}
