package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.NumaNodeSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Reserved huge pages on several NUMA nodes, and what happens when one of them has none left. Run by the numa lane. */
@RequiresHugePages(16)
class HugePagesOnNumaNodes {
    private static final long HUGE = NumaMachine.HUGE;

    private final NumaMachine machine = new NumaMachine();
    private final Linux linux = machine.linux;

    private Mapping map(long pages) {
        var path = HugePagesCondition.folder().orElseThrow().resolve("numapool-lane");
        try (var file = linux.open(path, OpenMode.CREATE_NEW, 0600)) {
            Files.delete(path); // the mapping keeps it
            linux.setLength(file, pages * HUGE);
            return linux.map(file, 0, pages * HUGE, Protection.READ_WRITE, HUGE);
        } catch (IOException e) {
            throw new UncheckedIOException("deleting " + path, e);
        }
    }

    @Test
    void boundHugePagesLieOnTheirNodesAndAreMissedThere() {
        var nodes = machine.nodesWithCpus();
        try (var mapping = map(2L * nodes.size())) {
            var memory = mapping.memory();
            for (int i = 0; i < nodes.size(); i++) {
                int index = nodes.get(i).index();
                long free = machine.freeHugePages(index);
                var range = memory.asSlice(i * 2L * HUGE, 2 * HUGE);

                assertThat(linux.bindMemory(range, MemoryPolicy.BIND, NumaNodeSet.of(index), MemoryMove.LEAVE))
                        .isEqualTo(Errno.OK);
                assertThat(linux.advise(range, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

                assertThat(machine.bytesOn(range, index)).isEqualTo(2 * HUGE);
                assertThat(linux.hugeBytes(range)).isEqualTo(new HugeBytes(0, 2 * HUGE));
                assertThat(machine.freeHugePages(index)).isEqualTo(free - 2);
            }
        }
    }

    @Test
    void boundToAnExhaustedNodePopulateGivesEfaultAndThePagesSoFarStay() {
        int numaNode = machine.nodesWithCpus().getLast().index();
        long free = machine.freeHugePages(numaNode);
        try (var mapping = map(free + 3)) {
            var memory = mapping.memory();
            assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.of(numaNode), MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);

            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.EFAULT);

            assertThat(machine.bytesOn(memory, numaNode)).isEqualTo(free * HUGE);
            assertThat(machine.bytes(memory)).isEqualTo(free * HUGE);
        }
        assertThat(machine.freeHugePages(numaNode)).isEqualTo(free);
    }

    @Test
    void preferringAnExhaustedNodeSpillsSilently() {
        int numaNode = machine.nodesWithCpus().getFirst().index();
        long free = machine.freeHugePages(numaNode);
        try (var mapping = map(free + 2)) {
            var memory = mapping.memory();
            assertThat(linux.bindMemory(memory, MemoryPolicy.PREFERRED, NumaNodeSet.of(numaNode), MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);

            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(machine.bytesOn(memory, numaNode)).isEqualTo(free * HUGE);
            assertThat(machine.bytes(memory)).isEqualTo((free + 2) * HUGE);
        }
    }

    @Test
    void interleavedHugePagesLieInEqualShares() {
        var nodes = machine.nodesWithCpus();
        try (var mapping = map(2L * nodes.size())) {
            var memory = mapping.memory();
            linux.bindMemory(memory, MemoryPolicy.INTERLEAVE, machine.set(nodes), MemoryMove.LEAVE);

            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(nodes)
                    .allSatisfy(node ->
                            assertThat(machine.bytesOn(memory, node.index())).isEqualTo(2 * HUGE));
        }
    }
}
