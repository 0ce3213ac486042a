package io.numabufferpool.linux;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** What the kernel does on several NUMA nodes. */
@Tag("numa")
class LinuxNumaLaneTest {
    @TestFactory
    Stream<DynamicTest> onNumaNodes() {
        return NumaLane.run(
                TmpfsOnNumaNodes.class,
                HugePagesOnNumaNodes.class,
                CpusetOnNumaNodes.class,
                JnaLinuxHugePagesTest.class);
    }
}
