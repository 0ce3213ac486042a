package io.numabufferpool.server.pagecache;

import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.server.pagecache.CacheReport.Problem;
import io.numabufferpool.server.pagecache.CacheReport.Spread;
import io.numabufferpool.server.segment.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Looks at many files, one after the other; a file that cannot be looked at does not keep the others from it. Not thread-safe. */
public final class CacheSurvey {
    private final Linux linux;
    private final SortedMap<Integer, CpuSet> cpusOfNode;
    private final Progress progress;

    /** {@code cpusOfNode}: the NUMA nodes whose memory this process may use, each with the CPUs of it that it may use, or none. */
    public CacheSurvey(Linux linux, SortedMap<Integer, CpuSet> cpusOfNode, Progress progress) {
        this.linux = linux;
        this.cpusOfNode = new TreeMap<>(cpusOfNode);
        this.progress = progress;
    }

    /** {@code spreadFirst}: each file is read again from every NUMA node in turn before it is looked at. */
    public CacheReport look(List<Path> names, boolean spreadFirst) {
        var found = FoundFiles.below(names);
        var problems = new ArrayList<>(found.problems());
        long totalBytes =
                found.files().stream().mapToLong(FoundFiles.Found::bytes).sum();
        var spread = spreadFirst ? spread(found, totalBytes, problems) : List.<Spread>of();
        var files = new ArrayList<CachedFile>();
        var reader = new CacheReader(linux);
        var looked = counter("look", totalBytes);
        for (var file : found.files()) {
            try {
                files.add(reader.read(file.path(), looked));
            } catch (CacheReader.Unknown unknown) {
                problems.add(new Problem(file.path().toString(), String.valueOf(unknown.getMessage())));
            } catch (LinuxException failed) {
                problems.add(new Problem(file.path().toString(), failed.getMessage() + "."));
            }
        }
        end("look", totalBytes);
        files.sort(Comparator.comparingLong(CachedFile::cachedBytes).reversed().thenComparing(CachedFile::path));
        return new CacheReport(
                files,
                CachedFile.total(files),
                List.copyOf(cpusOfNode.keySet()),
                spread,
                found.skippedLinks(),
                problems.stream().distinct().toList());
    }

    private List<Spread> spread(FoundFiles found, long totalBytes, List<Problem> problems) {
        var reached = new TreeMap<Integer, CpuSet>();
        cpusOfNode.forEach((numaNode, cpus) -> {
            if (!cpus.isEmpty()) {
                reached.put(numaNode, cpus);
                return;
            }
            problems.add(new Problem(
                    "node " + numaNode,
                    "NUMA node " + numaNode
                            + " has no CPU that this process may use: no cache was put there. Allow one of its"
                            + " CPUs (taskset, cpuset.cpus) to reach it."));
        });
        if (reached.isEmpty()) {
            problems.add(new Problem(
                    "--spread",
                    "no NUMA node has both memory and CPUs that this process may use: nothing was spread."));
            return List.of();
        }
        var spreader = new CacheSpread(linux, reached);
        var done = new ArrayList<Spread>();
        var read = counter("spread", totalBytes);
        for (var file : found.files()) {
            try {
                done.add(spreader.spread(file.path(), read));
            } catch (CacheReader.Unknown refused) {
                problems.add(new Problem(file.path().toString(), String.valueOf(refused.getMessage())));
            } catch (LinuxException failed) {
                problems.add(new Problem(file.path().toString(), failed.getMessage() + "."));
            }
        }
        end("spread", totalBytes);
        return done;
    }

    /** The step ends by {@link #end}, also where files failed or grew meanwhile. */
    private LongConsumer counter(String step, long totalBytes) {
        var done = new AtomicLong();
        return bytes -> {
            long sum = done.addAndGet(bytes);
            if (sum < totalBytes) {
                progress.advanced(step, sum, totalBytes);
            }
        };
    }

    private void end(String step, long totalBytes) {
        progress.advanced(step, totalBytes, totalBytes);
    }
}
