package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.placement.CpuSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CurrentCpuTest {
    private static final int FROM_SYSTEM_CALL = 4711;

    private final AtomicInteger systemCalls = new AtomicInteger();

    private CurrentCpu with(Syscalls numbers, Map<String, Long> variables) {
        Function<String, OptionalLong> lookup =
                name -> variables.containsKey(name) ? OptionalLong.of(variables.get(name)) : OptionalLong.empty();
        return new CurrentCpu(numbers, lookup, () -> {
            systemCalls.incrementAndGet();
            return FROM_SYSTEM_CALL;
        });
    }

    @Test
    void aLibcWithoutTheVariablesAsksTheKernel() {
        var currentCpu = with(Syscalls.X86_64, Map.of());

        assertThat(currentCpu.hasRseq()).isFalse();
        assertThat(currentCpu.get()).isEqualTo(FROM_SYSTEM_CALL);
    }

    @Test
    void aLibcThatWasToldNotToRegisterAsksTheKernel() {
        var currentCpu = with(Syscalls.X86_64, Map.of("__rseq_offset", 0L, "__rseq_size", 0L));

        assertThat(currentCpu.hasRseq()).isFalse();
    }

    @Test
    void arm64AsksTheKernelBecauseItsThreadPointerIsElsewhere() {
        var currentCpu = with(Syscalls.ARM64, Map.of("__rseq_offset", 32L, "__rseq_size", 32L));

        assertThat(currentCpu.hasRseq()).isFalse();
    }

    @Test
    void aVirtualThreadAsksTheKernelEachTime() throws Exception {
        var currentCpu = with(Syscalls.X86_64, Map.of("__rseq_offset", 32L, "__rseq_size", 32L));
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(executor.submit(currentCpu::get).get(10, TimeUnit.SECONDS))
                    .isEqualTo(FROM_SYSTEM_CALL);
            assertThat(systemCalls).hasValue(1);
        }
    }

    @Test
    void everyThreadReadsItsOwnCpu() throws Exception {
        var linux = new JnaLinux();
        var cpus = linux.affinity().stream().boxed().toList();
        for (int cpu : cpus) {
            var seen = CompletableFuture.supplyAsync(
                    () -> {
                        var before = linux.affinity();
                        linux.setAffinity(CpuSet.of(cpu));
                        int current = linux.currentCpu();
                        linux.setAffinity(before);
                        return current;
                    },
                    task -> Thread.ofPlatform().start(task));

            assertThat(seen.get(10, TimeUnit.SECONDS)).isEqualTo(cpu);
        }
    }
}
