package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcFilesTest {
    @TempDir
    Path self;

    private ProcFiles proc;

    @BeforeEach
    void read() {
        proc = new ProcFiles(self);
    }

    private void file(String name, String text) throws Exception {
        Files.writeString(self.resolve(name), text, StandardCharsets.ISO_8859_1);
    }

    private static MemorySegment range(long from, long bytes) {
        return MemorySegment.ofAddress(from).reinterpret(bytes);
    }

    @Test
    void onlyMappingsThatBeginInTheRangeCount() throws Exception {
        file("numa_maps", """
                3000 bind:1 N1=1 kernelpagesize_kB=4
                1000 default N0=1 kernelpagesize_kB=4
                2000 bind:0 N0=1 kernelpagesize_kB=4
                4000 default N0=1 kernelpagesize_kB=4
                ffffffffff600000 default
                """);

        assertThat(proc.numaMaps(range(0x2000, 0x2000)))
                .extracting(NumaMaps.Line::policy)
                .containsExactly("bind:0", "bind:1");
    }

    @Test
    void hugeBytesAreSummedOverTheMappingsOfTheRange() throws Exception {
        file("smaps", """
                00001000-00002000 rw-s 00000000 00:1a 12   /dev/shm/a N0=9
                ShmemPmdMapped:      999 kB
                00002000-00003000 rw-s 00000000 00:1a 13   /dev/shm/name with spaces: 7 kB
                Size:                  4 kB
                ShmemPmdMapped:     2048 kB
                FilePmdMapped:         4 kB
                Shared_Hugetlb:        0 kB
                VmFlags: rd wr sh mr mw me ms
                00003000-00004000 rw-s 00000000 00:1a 14   /hugepages/b
                Shared_Hugetlb:     4096 kB
                Private_Hugetlb:    2048 kB
                00004000-00005000 rw-s 00000000 00:1a 15
                Shared_Hugetlb:        1 kB
                """);

        assertThat(proc.hugeBytes(range(0x2000, 0x2000))).isEqualTo(new HugeBytes(2052L << 10, 6144L << 10));
    }

    @Test
    void fileNamesWithAnyBytesDoNotStopTheReading() throws Exception {
        file("numa_maps", "1000 default file=/tmp/\u00ff\u00fe N0=1 kernelpagesize_kB=4\n");

        assertThat(proc.numaMaps(range(0x1000, 1))).hasSize(1);
    }

    @Test
    void theStatusHasTheRealUserAndTheLists() throws Exception {
        file("status", """
                Name:\tjava
                Uid:\t65532\t0\t0\t0
                Seccomp:\t2
                Seccomp_filters:\t1
                Cpus_allowed:\tff
                Cpus_allowed_list:\t0-3,7
                Mems_allowed:\t00000000,00000003
                Mems_allowed_list:\t0-1
                """);

        var status = proc.processStatus();

        assertThat(status.uid()).isEqualTo(65532);
        assertThat(status.seccompMode()).isEqualTo(2);
        assertThat(status.cpusAllowed()).hasToString("0-3,7");
        assertThat(status.memsAllowed()).hasToString("0-1");
    }

    @Test
    void aKernelWithoutNumaAllowsNodeZero() throws Exception {
        file("status", "Name:\tjava\n");

        assertThat(proc.processStatus().memsAllowed()).hasToString("0");
        assertThat(proc.processStatus().seccompMode()).isZero();
    }

    @Test
    void withoutNumaMapsWhatIsResidentIsOnNodeZero() throws Exception {
        file("smaps", """
                00002000-00003000 rw-s 00000000 00:1a 13   /dev/shm/a
                KernelPageSize:        4 kB
                Rss:                  40 kB
                00003000-00004000 rw-s 00000000 00:1a 14   /hugepages/b
                KernelPageSize:     2048 kB
                Rss:                   0 kB
                Shared_Hugetlb:     4096 kB
                00004000-00005000 rw-s 00000000 00:1a 15
                KernelPageSize:        4 kB
                Rss:                   0 kB
                """);

        var lines = proc.numaMaps(range(0x2000, 0x3000));

        assertThat(lines).extracting(line -> line.bytesOn(0)).containsExactly(40L << 10, 4096L << 10, 0L);
        assertThat(lines).extracting(NumaMaps.Line::policy).containsOnly("default");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Assertions.assertThatThrownBy(() -> proc.hugeBytes(range(0, 1)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(self.resolve("smaps").toString());
    }
}
