package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ObservationReaderTest {
    private final SysfsShape machine = SysfsShape.named("cxl-memory-only");
    private final FakeLinux linux = new FakeLinux(machine.topology().read());

    private Observation observe() {
        return new ObservationReader(linux, machine.topology(), machine.cgroups()).read();
    }

    @AfterEach
    void forgetPolicy() {
        linux.heal(FakeCall.SET_TASK_POLICY);
        linux.setTaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty());
    }

    @Test
    void everythingIsSeen() {
        linux.allow(NumaNodeSet.parse("0-1"), CpuSet.parse("0-3"));
        linux.setProcess(65532, 0, "6.12.95");

        var observation = observe();

        assertThat(observation.topology().all()).hasToString("0-2");
        assertThat(observation.memsAllowed()).hasToString("0-1");
        assertThat(observation.cpusAllowed()).hasToString("0-3");
        assertThat(observation.mbindAllowed()).isTrue();
        assertThat(observation.collapseSupported()).isTrue();
        assertThat(observation.taskPolicyNodes().isEmpty()).isTrue();
        assertThat(observation.kernelRelease()).isEqualTo("6.12.95");
        assertThat(observation.memoryLimitBytes()).isEmpty();
    }

    @Test
    void aFilterThatRefusesMbindIsSeen() {
        linux.fail(FakeCall.BIND_MEMORY, Errno.EPERM);

        assertThat(observe().mbindAllowed()).isFalse();
    }

    @Test
    void aKernelWithoutCollapseIsSeenWhateverItsVersionSays() {
        linux.fail(FakeCall.COLLAPSE, Errno.EINVAL);

        assertThat(observe().collapseSupported()).isFalse();
    }

    @Test
    void aPolicyThatTheRuntimeHasSetIsSeen() {
        linux.setTaskPolicy(MemoryPolicy.BIND, NumaNodeSet.of(1));

        assertThat(observe().taskPolicyNodes()).hasToString("1");
    }

    @Test
    void withoutGetMempolicyThePolicyIsReadOffTheMappings() throws Exception {
        try (var file = linux.open(Path.of("/segment/any"), OpenMode.CREATE_NEW, 0600)) {
            linux.setLength(file, 4096);
            try (var mapping = linux.map(file, 0, 4096, Protection.READ_WRITE, 4096)) {
                linux.bindMemory(mapping.memory(), MemoryPolicy.INTERLEAVE, NumaNodeSet.of(0, 2), MemoryMove.LEAVE);
                linux.fail(FakeCall.TASK_POLICY, Errno.EPERM);

                assertThat(observe().taskPolicyNodes()).hasToString("0,2");
            }
        }
    }

    @Test
    void thisMachineCanBeObserved() {
        var observation = new ObservationReader(new JnaLinux()).read();

        assertThat(observation.topology().numaNodes()).isNotEmpty();
        assertThat(observation.memsAllowed().isEmpty()).isFalse();
        assertThat(observation.taskPolicyNodes().isEmpty()).isTrue();
    }
}
