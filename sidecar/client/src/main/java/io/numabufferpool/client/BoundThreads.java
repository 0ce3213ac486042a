package io.numabufferpool.client;

import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.CpuSet;
import java.lang.System.Logger.Level;
import java.util.HashSet;

/**
 * Binds every thread of this process to the CPUs that the sidecar advises ({@code spec.placement.bindCpus}), as {@code numactl
 * --cpunodebind} would have done at its start: garbage collector and compiler too, and threads that are started later inherit it
 * from those that start them.
 */
final class BoundThreads {
    private static final System.Logger LOG = System.getLogger(BoundThreads.class.getName());

    /** A thread that is started while we look comes up in the next pass; a process that starts some in every pass has enough. */
    private static final int PASSES_MAX = 8;

    private BoundThreads() {}

    /** The CPUs that all threads are bound to now; empty where nothing was changed, and the log says why if that is a surprise. */
    static CpuSet bind(Linux linux, String advised) {
        if (advised.isEmpty()) {
            return CpuSet.empty();
        }
        CpuSet wanted;
        try {
            wanted = CpuSet.parse(advised);
        } catch (IllegalArgumentException malformed) {
            LOG.log(
                    Level.WARNING,
                    "threads not bound: the sidecar advised no list of CPUs reason={0}",
                    malformed.getMessage());
            return CpuSet.empty();
        }
        var allowed = linux.processStatus().cpusAllowed();
        var cpus = wanted.and(allowed);
        if (cpus.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "threads not bound: none of the CPUs of the pool''s NUMA nodes is allowed here advised={0} allowed={1};"
                            + " let the kubelet''s CPU manager grant one of them, or set spec.placement.bindCpus to false",
                    wanted,
                    allowed);
            return CpuSet.empty();
        }
        return bindAll(linux, cpus);
    }

    private static CpuSet bindAll(Linux linux, CpuSet cpus) {
        var bound = new HashSet<Integer>();
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            boolean another = false;
            for (int thread : linux.threadIds()) {
                if (!bound.add(thread)) {
                    continue;
                }
                another = true;
                var errno = linux.setAffinity(thread, cpus);
                if (!errno.ok() && errno != Errno.ESRCH) {
                    LOG.log(
                            Level.WARNING,
                            "sched_setaffinity of thread {0} to CPUs {1} was refused: {2}",
                            thread,
                            cpus,
                            errno);
                    return CpuSet.empty();
                }
            }
            if (!another) {
                break;
            }
        }
        LOG.log(
                Level.INFO,
                "bound all threads to the CPUs of the pool''s NUMA nodes cpus={0} threads={1}",
                cpus,
                bound.size());
        return cpus;
    }
}
