package io.numabufferpool.server.cli;

import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.linux.KernelSettings;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.cli.Finding.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What of a machine's settings does a pool good or harm. Pure: the same machine gives the same findings. */
final class Preflight {
    private final KernelSettings settings;
    private final ObservationStatus seen;
    private final boolean policyReadable;
    private final List<Finding> findings = new ArrayList<>();

    private Preflight(KernelSettings settings, ObservationStatus seen, boolean policyReadable) {
        this.settings = settings;
        this.seen = seen;
        this.policyReadable = policyReadable;
    }

    /** {@code policyReadable}: whether seccomp lets get_mempolicy through. */
    static List<Finding> findings(KernelSettings settings, ObservationStatus seen, boolean policyReadable) {
        var preflight = new Preflight(settings, seen, policyReadable);
        preflight.movingPages();
        preflight.hugePages();
        preflight.calls();
        preflight.memory();
        return List.copyOf(preflight.findings);
    }

    private void add(Verdict verdict, String name, String value, String why) {
        findings.add(new Finding(verdict, name, value, why, null));
    }

    private void add(Verdict verdict, String name, String value, String why, String command) {
        findings.add(new Finding(verdict, name, value, why, command));
    }

    private boolean manyNodes() {
        return seen.numaNodes().size() > 1;
    }

    private void movingPages() {
        // A policy keeps NUMA balancing away from a page; first touch leaves none behind.
        var harm = seen.mbindAllowed() || !manyNodes() ? Verdict.NOTE : Verdict.HARM;
        var left = seen.mbindAllowed()
                ? "pages placed by mbind stay; threads are still sampled"
                : "pages placed by first touch have no policy, so the kernel may move them";
        off("kernel.numa_balancing", settings.numaBalancing(), "0", harm, left, "sysctl -w kernel.numa_balancing=0");
        off(
                "vm.zone_reclaim_mode",
                settings.zoneReclaimMode(),
                "0",
                manyNodes() ? Verdict.HARM : Verdict.NOTE,
                "a full node evicts page cache and stalls instead of using the next node",
                "sysctl -w vm.zone_reclaim_mode=0");
        off(
                "demotion_enabled",
                settings.demotionEnabled(),
                "false",
                harm,
                "under pressure pages go to slower NUMA nodes",
                "echo false > /sys/kernel/mm/numa/demotion_enabled");
    }

    private void off(
            String name, Optional<String> value, String wanted, Verdict otherwise, String why, String command) {
        if (value.isEmpty()) {
            add(Verdict.GOOD, name, "absent", "this kernel does not have it, or does not show it here");
        } else if (value.get().equals(wanted)) {
            add(Verdict.GOOD, name, value.get(), "pages stay where they were placed");
        } else {
            add(otherwise, name, value.get(), why, command);
        }
    }

    private void hugePages() {
        var transparent = settings.transparentHugePages().orElse("absent");
        if (seen.collapseSupported()) {
            add(
                    Verdict.GOOD,
                    "MADV_COLLAPSE",
                    "yes",
                    "huge pages need no reservation, whatever transparent_hugepage says (enabled: " + transparent
                            + ", shmem_enabled: " + settings.shmemHugePages().orElse("absent") + ")");
        } else {
            add(
                    Verdict.NOTE,
                    "MADV_COLLAPSE",
                    "no",
                    "Linux " + seen.kernelRelease() + " is older than 6.1: mode Transparent stays at 4 KiB pages",
                    "use a kernel from 6.1 on, or spec.hugePages.mode Reserved");
        }
        for (var node : seen.numaNodes()) {
            for (var pages : node.hugePages()) {
                if (pages.total() > 0) {
                    add(
                            pages.free() > 0 ? Verdict.GOOD : Verdict.NOTE,
                            "free huge pages of " + ByteCount.asQuantity(pages.pageBytes()) + ", node "
                                    + node.numaNode(),
                            pages.free() + " of " + pages.total(),
                            "mode Reserved takes them from here");
                }
            }
        }
    }

    private void calls() {
        boolean harmless = seen.mbindAllowed() || !manyNodes();
        if (seen.mbindAllowed()) {
            add(Verdict.GOOD, "mbind", "allowed", "every allowed node can be reached");
        } else {
            add(
                    harmless ? Verdict.GOOD : Verdict.NOTE,
                    "mbind",
                    "refused (seccomp)",
                    "pages are placed by pinned first touch, which needs an allowed CPU on each node",
                    "set the chart's sidecar.seccompLocalhostProfile to numapool-seccomp.json");
        }
        add(
                policyReadable ? Verdict.GOOD : Verdict.NOTE,
                "get_mempolicy",
                policyReadable ? "allowed" : "refused (seccomp)",
                policyReadable
                        ? "the runtime's memory policy is read"
                        : "the runtime's memory policy is read from numa_maps");
        boolean weights = seen.numaNodes().stream().allMatch(node -> node.interleaveWeight() != null);
        add(
                Verdict.GOOD,
                "weighted_interleave",
                weights ? "yes" : "no",
                weights
                        ? "WeightedInterleave takes its weights"
                        : "WeightedInterleave works, with weights of the pool or equal ones");
    }

    private void memory() {
        var limit = seen.memoryLimitBytes();
        if (limit == null) {
            add(Verdict.GOOD, "memory limit", "none", "no control group limits this process");
        } else {
            add(
                    Verdict.GOOD,
                    "memory limit",
                    ByteCount.render(limit),
                    "transparent and 4 KiB pages count against it, reserved ones do not");
        }
        if (settings.swaps()) {
            add(
                    Verdict.NOTE,
                    "swap",
                    "on",
                    "idle buffers on tmpfs can be swapped out, reserved huge pages cannot",
                    "swapoff -a, or spec.hugePages.mode Reserved");
        } else {
            add(Verdict.GOOD, "swap", "off", "buffers stay in memory");
        }
    }
}
