package io.numabufferpool.linux;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The machine's settings that move pages, or keep them from where they belong. Each is empty where this kernel does not have it
 * or this process may not see it. Immutable.
 *
 * @param zoneReclaimMode {@code vm.zone_reclaim_mode}: 0, or bits that make a full node reclaim instead of going to the next one
 * @param numaBalancing {@code kernel.numa_balancing}: 0 off, 1 moves pages to where they are used, 2 between memory tiers
 * @param demotionEnabled {@code /sys/kernel/mm/numa/demotion_enabled}: pages go to slower nodes instead of to swap
 * @param transparentHugePages the word in brackets of {@code transparent_hugepage/enabled}
 * @param shmemHugePages the same of {@code transparent_hugepage/shmem_enabled}
 * @param swaps whether the machine has swap
 */
public record KernelSettings(
        Optional<String> zoneReclaimMode,
        Optional<String> numaBalancing,
        Optional<String> demotionEnabled,
        Optional<String> transparentHugePages,
        Optional<String> shmemHugePages,
        boolean swaps) {
    /** Of this machine. */
    public static KernelSettings read() {
        return read(Path.of("/sys"), Path.of("/proc"));
    }

    static KernelSettings read(Path sys, Path proc) {
        var transparent = sys.resolve("kernel/mm/transparent_hugepage");
        return new KernelSettings(
                KernelFile.find(proc.resolve("sys/vm/zone_reclaim_mode")),
                KernelFile.find(proc.resolve("sys/kernel/numa_balancing")),
                KernelFile.find(sys.resolve("kernel/mm/numa/demotion_enabled")),
                KernelFile.find(transparent.resolve("enabled")).map(KernelSettings::chosen),
                KernelFile.find(transparent.resolve("shmem_enabled")).map(KernelSettings::chosen),
                KernelFile.lines(proc.resolve("swaps")).size() > 1);
    }

    /** {@code always [madvise] never}: the word in brackets. */
    private static String chosen(String text) {
        int begin = text.indexOf('[');
        int end = text.indexOf(']', begin + 1);
        return begin < 0 || end < 0 ? text : text.substring(begin + 1, end);
    }
}
