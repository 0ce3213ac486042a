package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.placement.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/**
 * Runs work for several NUMA nodes at once, on short-lived threads that are bound to CPUs of their node: first touch lands
 * there, and zeroing pages is local. A policy or affinity that the work sets ends with its thread.
 */
final class NodeThreads {
    private final Linux linux;
    private final Map<Integer, CpuSet> cpusOfNode;

    /** {@code cpusOfNode}: the CPUs from which a first touch lands on that node; a node may be absent. */
    NodeThreads(Linux linux, Map<Integer, CpuSet> cpusOfNode) {
        this.linux = linux;
        this.cpusOfNode = Map.copyOf(cpusOfNode);
    }

    /** Whether the work of this node runs on CPUs whose first touch lands there. */
    boolean reaches(int numaNode) {
        return !cpusOfNode.getOrDefault(numaNode, CpuSet.empty()).isEmpty();
    }

    /**
     * What the work returned by node, after all of them ended. The first exception is thrown, also after all ended.
     * {@link PlacedRange#ANYWHERE} runs on any CPU.
     */
    <T> SortedMap<Integer, T> run(Iterable<Integer> numaNodes, IntFunction<T> work) {
        var results = new ConcurrentSkipListMap<Integer, T>();
        var oneEach = new TreeMap<Integer, Integer>();
        numaNodes.forEach(numaNode -> oneEach.put(numaNode, 1));
        runOn(oneEach, numaNode -> results.put(numaNode, work.apply(numaNode)));
        return new TreeMap<>(results);
    }

    /** The threads that can work for this node at the same time: as many as it has CPUs that this process may use. */
    int cpuCount(int numaNode) {
        return reaches(numaNode)
                ? cpusOfNode.getOrDefault(numaNode, CpuSet.empty()).size()
                : Runtime.getRuntime().availableProcessors();
    }

    /** Runs the work of each node on so many threads at once. The first exception is thrown after all of them ended. */
    void runOn(SortedMap<Integer, Integer> threadsOfNode, IntConsumer work) {
        var failure = new AtomicReference<RuntimeException>();
        var threads = new ArrayList<Thread>();
        threadsOfNode.forEach((numaNode, count) -> {
            for (int i = 0; i < count; i++) {
                threads.add(Thread.ofPlatform()
                        .name("numa-node-" + numaNode + "-" + i)
                        .start(() -> {
                            try {
                                bind(numaNode);
                                work.accept(numaNode);
                            } catch (RuntimeException thrown) {
                                failure.compareAndSet(null, thrown);
                            }
                        }));
            }
        });
        joinAll(threads);
        var thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
    }

    private void bind(int numaNode) {
        if (!reaches(numaNode)) {
            return;
        }
        var cpus = cpusOfNode.getOrDefault(numaNode, CpuSet.empty());
        var errno = linux.setAffinity(cpus);
        // EINVAL: the cpuset changed since it was observed. The placement is verified anyway.
        if (!errno.ok() && errno != Errno.EINVAL) {
            throw new IllegalStateException(
                    "sched_setaffinity to the CPUs " + cpus + " of NUMA node " + numaNode + " failed: " + errno
                            + ". Every default seccomp profile allows it; look at the pod's own profile.");
        }
    }

    /** The work itself is bounded: it looks at the stop signal between chunks. */
    private static void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (var thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
