package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers are the kernel's ABI: a changed one calls something else. */
class SyscallsTest {
    @ParameterizedTest
    @CsvSource({"amd64, 237, 238, 239, 202, 203, 204, 332", "aarch64, 235, 237, 236, 98, 122, 123, 291"})
    void numbersAreThoseOfTheArchitecture(
            String arch, int mbind, int setMempolicy, int getMempolicy, int futex, int set, int get, int statx) {
        var numbers = Syscalls.of(arch);

        assertThat(numbers.mbind()).isEqualTo(mbind);
        assertThat(numbers.setMempolicy()).isEqualTo(setMempolicy);
        assertThat(numbers.getMempolicy()).isEqualTo(getMempolicy);
        assertThat(numbers.futex()).isEqualTo(futex);
        assertThat(numbers.schedSetaffinity()).isEqualTo(set);
        assertThat(numbers.schedGetaffinity()).isEqualTo(get);
        assertThat(numbers.statx()).isEqualTo(statx);
    }

    @Test
    void anotherArchitectureIsRefusedByName() {
        assertThatThrownBy(() -> Syscalls.of("riscv64"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("riscv64")
                .hasMessageContaining("arm64");
    }
}
