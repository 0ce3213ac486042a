package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.NumaNodeSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cpuset that allows some NUMA nodes only; this JVM moves itself into it. Run by the numa lane. */
class CpusetOnNumaNodes {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final long SHARE = NumaMachine.HUGE;

    private final NumaMachine machine = new NumaMachine();
    private final Linux linux = machine.linux;
    private final Path group =
            ROOT.resolve("numapool-lane-" + ProcessHandle.current().pid());
    private final TmpfsFolder folder = new TmpfsFolder();
    private final List<Integer> numaNodes =
            machine.nodes().stream().map(node -> node.index()).toList();

    /** The second node and the last one. */
    private final NumaNodeSet allowed = NumaNodeSet.of(numaNodes.get(1), numaNodes.getLast());

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("writing " + text + " to " + file, e);
        }
    }

    @BeforeEach
    void enter() throws IOException {
        Assumptions.assumeTrue(
                Files.isWritable(ROOT.resolve("cgroup.subtree_control")), "NO CGROUP V2 THAT CAN BE WRITTEN HERE");
        write(ROOT.resolve("cgroup.subtree_control"), "+cpuset +memory");
        Files.createDirectory(group);
        write(group.resolve("cpuset.mems"), allowed.toString());
        write(group.resolve("memory.max"), "1073741824");
        write(
                group.resolve("cgroup.procs"),
                Long.toString(ProcessHandle.current().pid()));
    }

    @AfterEach
    void leave() throws IOException {
        folder.close();
        if (Files.exists(group)) {
            write(
                    ROOT.resolve("cgroup.procs"),
                    Long.toString(ProcessHandle.current().pid()));
            Files.delete(group);
        }
    }

    @Test
    void theNarrowedNodesAreSeenBothWaysAndOthersAreRefusedOrTrimmed() {
        assertThat(linux.processStatus().memsAllowed()).isEqualTo(allowed);
        assertThat(new CgroupReader().read().mems()).contains(allowed);
        assertThat(new CgroupReader().read().memoryLimitBytes()).hasValue(1 << 30);
        try (var file = linux.open(folder.path().resolve("buffers"), OpenMode.CREATE_NEW, 0600)) {
            linux.setLength(file, SHARE);
            try (var mapping = linux.map(file, 0, SHARE, Protection.READ_WRITE, SHARE)) {
                var memory = mapping.memory();
                var outside = NumaNodeSet.of(numaNodes.getFirst());
                var partly = NumaNodeSet.of(numaNodes.getFirst(), numaNodes.get(1));

                assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, outside, MemoryMove.LEAVE))
                        .isEqualTo(Errno.EINVAL);
                assertThat(linux.bindMemory(memory, MemoryPolicy.BIND, partly, MemoryMove.LEAVE))
                        .isEqualTo(Errno.OK);
                assertThat(linux.advise(memory, Advice.POPULATE_WRITE)).isEqualTo(Errno.OK);

                assertThat(machine.bytesOn(memory, numaNodes.get(1))).isEqualTo(SHARE);
            }
        }
    }
}
