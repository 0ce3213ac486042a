package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.NumaNodeSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Placement of tmpfs pages, proved by numa_maps. Run by the numa lane. */
class TmpfsOnNumaNodes {
    private static final long SHARE = 2 * NumaMachine.HUGE;

    private final NumaMachine machine = new NumaMachine();
    private final Linux linux = machine.linux;
    private final TmpfsFolder folder = new TmpfsFolder();

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    private LinuxFile newFile(long bytes) {
        var file = linux.open(folder.path().resolve("buffers"), OpenMode.CREATE, 0600);
        linux.setLength(file, bytes);
        return file;
    }

    private Mapping map(LinuxFile file, long offset, long bytes) {
        return linux.map(file, offset, bytes, Protection.READ_WRITE, NumaMachine.HUGE);
    }

    @Test
    void everyBoundRangeLiesWhollyOnItsNodeAndStaysThereWhenItsPagesBecomeHuge() {
        var nodes = machine.nodes();
        try (var file = newFile(SHARE * nodes.size());
                var mapping = map(file, 0, SHARE * nodes.size())) {
            var memory = mapping.memory();
            for (int i = 0; i < nodes.size(); i++) {
                var only = NumaNodeSet.of(nodes.get(i).index());
                var range = memory.asSlice(i * SHARE, SHARE);
                assertThat(linux.bindMemory(range, MemoryPolicy.BIND, only, MemoryMove.LEAVE))
                        .isEqualTo(Errno.OK);
            }
            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            assertThat(nodes)
                    .allSatisfy(node ->
                            assertThat(machine.bytesOn(memory, node.index())).isEqualTo(SHARE));

            for (int i = 0; i < nodes.size(); i++) {
                assertThat(linux.advise(memory.asSlice(i * SHARE, SHARE), Advice.COLLAPSE))
                        .isEqualTo(Errno.OK);
            }

            for (int i = 0; i < nodes.size(); i++) {
                var range = memory.asSlice(i * SHARE, SHARE);
                assertThat(linux.numaMaps(range).getFirst().policy())
                        .isEqualTo("bind:" + nodes.get(i).index());
                assertThat(machine.bytesOn(range, nodes.get(i).index())).isEqualTo(SHARE);
                assertThat(linux.hugeBytes(range).transparentBytes()).isEqualTo(SHARE);
            }
        }
    }

    @Test
    void aThreadPinnedToANodeTouchesItsShareThereFirst() {
        var nodes = machine.nodesWithCpus();
        try (var file = newFile(SHARE * nodes.size())) {
            for (int i = 0; i < nodes.size(); i++) {
                var node = nodes.get(i);
                try (var share = map(file, i * SHARE, SHARE)) {
                    var errno = machine.on(node.cpus(), () -> linux.advise(share.memory(), Advice.POPULATE_WRITE));

                    assertThat(errno).isEqualTo(Errno.OK);
                    assertThat(machine.bytesOn(share.memory(), node.index())).isEqualTo(SHARE);
                    assertThat(linux.numaMaps(share.memory()).getFirst().policy())
                            .isEqualTo("default");
                    assertThat(linux.advise(share.memory(), Advice.COLLAPSE)).isEqualTo(Errno.OK);
                    assertThat(machine.bytesOn(share.memory(), node.index())).isEqualTo(SHARE);
                }
            }
        }
    }

    @Test
    void interleavedPagesLieInEqualShares() {
        var nodes = machine.nodesWithCpus();
        try (var file = newFile(SHARE * nodes.size());
                var mapping = map(file, 0, SHARE * nodes.size())) {
            var memory = mapping.memory();

            assertThat(linux.bindMemory(memory, MemoryPolicy.INTERLEAVE, machine.set(nodes), MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);
            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(nodes)
                    .allSatisfy(node ->
                            assertThat(machine.bytesOn(memory, node.index())).isEqualTo(SHARE));
        }
    }

    @Test
    void anotherMappingShowsThePolicyOfTheFileAndCountsPagesOnceItHasTouchedThem() {
        int last = machine.nodes().getLast().index();
        try (var file = newFile(SHARE);
                var first = map(file, 0, SHARE);
                var second = map(file, 0, SHARE)) {
            var only = NumaNodeSet.of(last);
            assertThat(linux.bindMemory(first.memory(), MemoryPolicy.BIND, only, MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);
            assertThat(linux.advise(first.memory(), Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

            assertThat(machine.bytes(second.memory())).isZero();
            assertThat(linux.advise(second.memory(), Advice.POPULATE_READ)).isEqualTo(Errno.OK);

            assertThat(machine.bytesOn(second.memory(), last)).isEqualTo(SHARE);
            assertThat(linux.numaMaps(second.memory()).getFirst().policy()).isEqualTo("bind:" + last);
        }
    }

    @Test
    void misplacedPagesAreToldByCheckAndMovedByMove() {
        var nodes = machine.nodesWithCpus();
        int from = nodes.getFirst().index();
        int to = nodes.getLast().index();
        try (var file = newFile(SHARE);
                var mapping = map(file, 0, SHARE)) {
            var memory = mapping.memory();
            linux.bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.of(from), MemoryMove.LEAVE);
            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            var target = NumaNodeSet.of(to);

            assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, target, MemoryMove.LEAVE))
                    .isEqualTo(Errno.OK);
            assertThat(machine.bytesOn(memory, from)).isEqualTo(SHARE);
            assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, target, MemoryMove.CHECK))
                    .isEqualTo(Errno.EIO);
            assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, target, MemoryMove.MOVE))
                    .isEqualTo(Errno.OK);
            assertThat(machine.bytesOn(memory, to)).isEqualTo(SHARE);
        }
    }

    @Test
    void pagesThatAnotherProcessMapsStayAndMoveSaysOkAllTheSame() throws Exception {
        var nodes = machine.nodesWithCpus();
        int from = nodes.getFirst().index();
        int to = nodes.getLast().index();
        try (var file = newFile(SHARE);
                var mapping = map(file, 0, SHARE)) {
            var memory = mapping.memory();
            linux.bindMemory(memory, MemoryPolicy.BIND, NumaNodeSet.of(from), MemoryMove.LEAVE);
            assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);
            var command = ChildJvm.command(List.of(), HoldsMapping.class);
            command.add(file.name());
            var other = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                assertThat(other.inputReader().readLine()).isEqualTo(HoldsMapping.READY);
                var target = NumaNodeSet.of(to);

                assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, target, MemoryMove.MOVE))
                        .isEqualTo(Errno.OK);

                assertThat(linux.numaMaps(memory).getFirst().policy()).isEqualTo("bind:" + to);
                assertThat(machine.bytesOn(memory, from)).isEqualTo(SHARE);
            } finally {
                other.destroy();
            }
        }
    }

    @Test
    void everyPolicyOfATaskIsReadBack() {
        var all = machine.set(machine.nodesWithCpus());
        var one = NumaNodeSet.of(machine.nodes().getLast().index());
        var policies = new TaskPolicy[] {
            new TaskPolicy(MemoryPolicy.BIND, all),
            new TaskPolicy(MemoryPolicy.INTERLEAVE, all),
            new TaskPolicy(MemoryPolicy.PREFERRED, one),
            new TaskPolicy(MemoryPolicy.PREFERRED_MANY, all)
        };
        try {
            assertThat(policies).allSatisfy(policy -> {
                assertThat(linux.setTaskPolicy(policy.policy(), policy.numaNodes()))
                        .isEqualTo(Errno.OK);
                assertThat(linux.taskPolicy()).contains(policy);
            });
        } finally {
            linux.setTaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty());
        }
    }

    @Test
    void theTopologyIsThatOfSysfs() throws Exception {
        var topology = new NumaTopologyReader().read();

        assertThat(topology.all())
                .hasToString(Files.readString(Path.of("/sys/devices/system/node/online"))
                        .strip());
        assertThat(topology.numaNodes()).allSatisfy(node -> {
            assertThat(node.distances()).hasSize(topology.numaNodes().size());
            assertThat(node.distances().get(topology.numaNodes().indexOf(node))).isEqualTo(10);
        });
        var observation = new ObservationReader(linux).read();
        assertThat(observation.mbindAllowed()).isTrue();
        assertThat(observation.collapseSupported()).isTrue();
        assertThat(observation.memsAllowed().containsAll(machine.set(machine.nodesWithCpus())))
                .isTrue();
    }

    @Test
    void theCurrentCpuIsOneOfTheNodeTheThreadIsBoundTo() {
        assertThat(machine.nodesWithCpus()).allSatisfy(node -> {
            int cpu = machine.on(node.cpus(), linux::currentCpu);
            assertThat(node.cpus().contains(cpu)).isTrue();
        });
    }
}
