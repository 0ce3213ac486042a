package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelSettingsTest {
    private static void write(Path file, String text) throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void everySettingIsRead(@TempDir Path root) throws Exception {
        write(root.resolve("sys/vm/zone_reclaim_mode"), "1\n");
        write(root.resolve("sys/kernel/numa_balancing"), "2\n");
        write(root.resolve("kernel/mm/numa/demotion_enabled"), "true\n");
        write(root.resolve("kernel/mm/transparent_hugepage/enabled"), "always [madvise] never\n");
        write(
                root.resolve("kernel/mm/transparent_hugepage/shmem_enabled"),
                "always within_size advise [never] deny force\n");
        write(root.resolve("swaps"), "Filename Type Size Used Priority\n/swap file 1024 0 -2\n");

        var settings = KernelSettings.read(root, root);

        assertThat(settings.zoneReclaimMode()).contains("1");
        assertThat(settings.numaBalancing()).contains("2");
        assertThat(settings.demotionEnabled()).contains("true");
        assertThat(settings.transparentHugePages()).contains("madvise");
        assertThat(settings.shmemHugePages()).contains("never");
        assertThat(settings.swaps()).isTrue();
    }

    @Test
    void aSandboxThatShowsNothingHasNoSettings(@TempDir Path empty) {
        var settings = KernelSettings.read(empty, empty);

        assertThat(settings.zoneReclaimMode()).isEmpty();
        assertThat(settings.transparentHugePages()).isEmpty();
        assertThat(settings.swaps()).isFalse();
    }
}
