package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the machine in memory says where the real one was measured: FakeLinux must spill, refuse and move as the kernel does. */
class FakePlacementTest {
    private static final long MIB = 1 << 20;
    private static final long HUGE = 2 * MIB;

    private final FakeLinux linux =
            new FakeLinux(SysfsShape.named("two-sockets").topology().read());

    private Mapping map(String path, long bytes) {
        try (var file = linux.open(Path.of(path), OpenMode.CREATE_NEW, 0600)) {
            linux.setLength(file, bytes);
            return linux.map(file, 0, bytes, Protection.READ_WRITE, HUGE);
        }
    }

    private long bytesOn(MemorySegment memory, int numaNode) {
        return linux.numaMaps(memory).stream()
                .mapToLong(line -> line.bytesOn(numaNode))
                .sum();
    }

    private Errno bind(MemorySegment range, MemoryPolicy policy, String numaNodes, MemoryMove move) {
        return linux.bindMemory(range, policy, NumaNodeSet.parse(numaNodes), move);
    }

    @Test
    void boundPagesOfAnExhaustedNodeGiveEfaultAndThePagesSoFarStay() {
        linux.mountHugePages(Path.of("/hugepages"), HUGE);
        linux.setFreePages(1, HUGE, 3);
        var memory = map("/hugepages/buffers", 5 * HUGE).memory();

        assertThat(bind(memory, MemoryPolicy.BIND, "1", MemoryMove.LEAVE)).isEqualTo(Errno.OK);
        assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.EFAULT);

        assertThat(bytesOn(memory, 1)).isEqualTo(3 * HUGE);
        assertThat(linux.freePages(1, HUGE)).isZero();
    }

    @Test
    void preferredPagesOfAnExhaustedNodeSpill() {
        linux.setFreePages(1, 4096, 256);
        var memory = map("/segment/buffers", 2 * MIB).memory();

        assertThat(bind(memory, MemoryPolicy.PREFERRED, "1", MemoryMove.LEAVE)).isEqualTo(Errno.OK);
        assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

        assertThat(bytesOn(memory, 1)).isEqualTo(MIB);
        assertThat(bytesOn(memory, 0)).isEqualTo(MIB);
    }

    @Test
    void interleavedPagesLieInEqualShares() {
        var memory = map("/segment/buffers", 2 * MIB).memory();

        assertThat(bind(memory, MemoryPolicy.INTERLEAVE, "0-1", MemoryMove.LEAVE))
                .isEqualTo(Errno.OK);
        assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

        assertThat(bytesOn(memory, 0)).isEqualTo(MIB);
        assertThat(bytesOn(memory, 1)).isEqualTo(MIB);
    }

    @Test
    void pinnedFirstTouchPutsPagesOnTheThreadsNode() {
        var memory = map("/segment/buffers", 2 * MIB).memory();

        linux.setAffinity(CpuSet.of(16));
        assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

        assertThat(bytesOn(memory, 1)).isEqualTo(2 * MIB);
        assertThat(linux.numaMaps(memory).getFirst().policy()).isEqualTo("default");
    }

    @Test
    void eachBoundRangeIsALineOfItsOwn() {
        var memory = map("/segment/buffers", 4 * MIB).memory();

        bind(memory.asSlice(0, 2 * MIB), MemoryPolicy.BIND, "0", MemoryMove.LEAVE);
        bind(memory.asSlice(2 * MIB), MemoryPolicy.BIND, "1", MemoryMove.LEAVE);
        linux.advise(memory, Advice.POPULATE_WRITE);

        assertThat(linux.numaMaps(memory)).extracting(NumaMaps.Line::policy).containsExactly("bind:0", "bind:1");
        assertThat(linux.numaMaps(memory.asSlice(2 * MIB))).hasSize(1);
        assertThat(linux.numaMaps(memory.asSlice(MIB, MIB))).isEmpty();
    }

    @Test
    void collapseTakesTheNodeWithMostPages() {
        var memory = map("/segment/buffers", 2 * MIB).memory();
        bind(memory.asSlice(0, MIB / 2), MemoryPolicy.BIND, "0", MemoryMove.LEAVE);
        bind(memory.asSlice(MIB / 2), MemoryPolicy.BIND, "1", MemoryMove.LEAVE);
        linux.advise(memory, Advice.POPULATE_WRITE);

        assertThat(linux.advise(memory, Advice.COLLAPSE)).isEqualTo(Errno.OK);

        assertThat(bytesOn(memory, 1)).isEqualTo(2 * MIB);
        assertThat(linux.hugeBytes(memory).transparentBytes()).isEqualTo(2 * MIB);
    }

    @Test
    void misplacedPagesMoveOnlyWhenNobodyElseMapsThem() {
        linux.setMappedByOthers(true);
        var memory = map("/segment/buffers", 2 * MIB).memory();
        linux.advise(memory, Advice.POPULATE_WRITE);

        assertThat(bind(memory, MemoryPolicy.BIND, "1", MemoryMove.CHECK)).isEqualTo(Errno.EIO);
        assertThat(bind(memory, MemoryPolicy.BIND, "1", MemoryMove.MOVE)).isEqualTo(Errno.OK);
        assertThat(bytesOn(memory, 0)).isEqualTo(2 * MIB);

        linux.setMappedByOthers(false);
        assertThat(bind(memory, MemoryPolicy.BIND, "1", MemoryMove.MOVE)).isEqualTo(Errno.OK);
        assertThat(bytesOn(memory, 1)).isEqualTo(2 * MIB);
    }

    @Test
    void aPartlyAllowedNodeSetIsNarrowedSilently() {
        linux.allow(NumaNodeSet.of(1), CpuSet.parse("16-31"));
        var memory = map("/segment/buffers", 2 * MIB).memory();

        assertThat(bind(memory, MemoryPolicy.BIND, "0-1", MemoryMove.LEAVE)).isEqualTo(Errno.OK);
        assertThat(bind(memory, MemoryPolicy.BIND, "0", MemoryMove.LEAVE)).isEqualTo(Errno.EINVAL);
        linux.advise(memory, Advice.POPULATE_WRITE);

        assertThat(bytesOn(memory, 1)).isEqualTo(2 * MIB);
    }

    @Test
    void anotherMappingCountsNoPageBeforeItHasTouchedIt() {
        var first = map("/segment/buffers", 2 * MIB).memory();
        linux.advise(first, Advice.POPULATE_WRITE);
        try (var file = linux.open(Path.of("/segment/buffers"), OpenMode.READ_ONLY, 0);
                var second = linux.map(file, 0, 2 * MIB, Protection.READ, HUGE)) {
            assertThat(bytesOn(second.memory(), 0)).isZero();

            assertThat(linux.advise(second.memory(), Advice.POPULATE_READ)).isEqualTo(Errno.OK);

            assertThat(bytesOn(second.memory(), 0)).isEqualTo(2 * MIB);
        }
    }

    @Test
    void reservedPagesThatTheMachineHasNotAreRefusedWhenTheyAreWantedAndThoseSoFarStay() {
        linux.mountHugePages(Path.of("/hugepages"), HUGE);
        linux.setFreePages(0, HUGE, 1);
        linux.setFreePages(1, HUGE, 1);

        var memory = map("/hugepages/buffers", 3 * HUGE).memory();

        assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.EFAULT);
        assertThat(linux.hugeBytes(memory).reservedBytes()).isEqualTo(2 * HUGE);
    }

    @Test
    void aCallFailsAsOftenAsItWasToldTo() {
        var memory = map("/segment/buffers", 2 * MIB).memory();
        linux.fail(FakeCall.COLLAPSE, Errno.EAGAIN, 1, 2);
        linux.advise(memory, Advice.POPULATE_WRITE);

        assertThat(linux.advise(memory, Advice.COLLAPSE)).isEqualTo(Errno.OK);
        assertThat(linux.advise(memory, Advice.COLLAPSE)).isEqualTo(Errno.EAGAIN);
        assertThat(linux.advise(memory, Advice.COLLAPSE)).isEqualTo(Errno.EAGAIN);
        assertThat(linux.advise(memory, Advice.COLLAPSE)).isEqualTo(Errno.OK);
    }
}
