package io.numabufferpool.adopt;

import io.numabufferpool.linux.NumaLane;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Unmodified programs on several real NUMA nodes. */
@Tag("numa")
class AdoptNumaLaneTest {
    @TestFactory
    Stream<DynamicTest> onNumaNodes() {
        return NumaLane.run(SegmentsOnNumaNodes.class, DatabasesOnNumaNodes.class);
    }
}
