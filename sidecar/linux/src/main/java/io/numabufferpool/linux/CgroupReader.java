package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The control groups of this process, version 1, version 2, or both at once (Documentation/admin-guide/cgroup-v2.rst,
 * cgroups(7)). Each {@link #read()} is a new look. Thread-safe.
 */
public final class CgroupReader {
    /* /proc/self/cgroup says which group, mountinfo says where the hierarchy is mounted and which group is the mount's root.
     * In a container with a cgroup namespace the group is "/", without one the mount shows only the container's own group
     * (root "/docker/ID"), so a group that does not lie under the root is the mount point itself. */

    /** {@code id parent major:minor root mountpoint options ... - type source superoptions}. */
    private static final Pattern MOUNT =
            Pattern.compile("\\S+ \\S+ \\S+ (\\S+) (\\S+) \\S+ .*?- (cgroup2?) \\S+ (\\S+)");

    /** {@code 5:cpuset:/group}, of version 2 {@code 0::/group}. */
    private static final Pattern GROUP = Pattern.compile("[0-9]+:([^:]*):(.*)");

    /** Version 1 writes "no limit" as the highest multiple of a page (PAGE_COUNTER_MAX), whatever the page size: up to 64 KiB. */
    private static final long NO_LIMIT = Long.MAX_VALUE - (1 << 16) + 1;

    private final Path proc;

    /** Of this process. */
    public CgroupReader() {
        this(Path.of("/proc"));
    }

    /** @param proc where proc is; mount points are taken from its self/mountinfo */
    public CgroupReader(Path proc) {
        this.proc = proc;
    }

    /** The limits as they are now. */
    public Cgroup read() {
        var version2 = folders("", "cgroup2", "");
        var cpuset = folders("cpuset", "cgroup", "cpuset");
        var memory = folders("memory", "cgroup", "memory");
        return new Cgroup(
                first(version2, "cpuset.cpus.effective", CpuSet::parse)
                        .or(() -> first(cpuset, "cpuset.effective_cpus", CpuSet::parse))
                        .or(() -> first(cpuset, "cpuset.cpus", CpuSet::parse)),
                first(version2, "cpuset.mems.effective", NumaNodeSet::parse)
                        .or(() -> first(cpuset, "cpuset.effective_mems", NumaNodeSet::parse))
                        .or(() -> first(cpuset, "cpuset.mems", NumaNodeSet::parse)),
                lowest(limits(version2, "memory.max"), limits(memory, "memory.limit_in_bytes")));
    }

    /** The group's folder and its ancestors, up to the mount point; none where the hierarchy is not mounted. */
    private List<Path> folders(String controller, String type, String mountOption) {
        var group = KernelFile.lines(proc.resolve("self/cgroup")).stream()
                .map(GROUP::matcher)
                .filter(line -> line.matches() && hasWord(line.group(1), controller))
                .map(line -> line.group(2))
                .findFirst();
        if (group.isEmpty()) {
            return List.of();
        }
        for (var line : KernelFile.lines(proc.resolve("self/mountinfo"))) {
            var mount = MOUNT.matcher(line);
            if (mount.matches()
                    && mount.group(3).equals(type)
                    && (mountOption.isEmpty() || hasWord(mount.group(4), mountOption))) {
                return upwards(Path.of(unescaped(mount.group(2))), unescaped(mount.group(1)), group.get());
            }
        }
        return List.of();
    }

    private static boolean hasWord(String list, String word) {
        return Arrays.asList(list.split(",", -1)).contains(word);
    }

    private static List<Path> upwards(Path mountPoint, String root, String group) {
        var groupPath = Path.of(group).normalize();
        var rootPath = Path.of(root);
        var below = groupPath.startsWith(rootPath) ? rootPath.relativize(groupPath) : Path.of("");
        var folders = new ArrayList<Path>();
        for (int names = below.toString().isEmpty() ? 0 : below.getNameCount(); names > 0; names--) {
            folders.add(mountPoint.resolve(below.subpath(0, names)));
        }
        folders.add(mountPoint);
        return folders;
    }

    /** mountinfo writes space, tab, newline and backslash as octal numbers. */
    private static String unescaped(String path) {
        return path.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /** The nearest group that has the file with something in it: a group without the controller has its ancestor's. */
    private static <T> Optional<T> first(List<Path> folders, String name, Function<String, T> parse) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(file ->
                        KernelFile.find(file).filter(text -> !text.isEmpty()).isPresent())
                .findFirst()
                .flatMap(file -> KernelFile.find(file, parse));
    }

    private static OptionalLong limits(List<Path> folders, String name) {
        return folders.stream()
                .map(folder -> KernelFile.find(folder.resolve(name), CgroupReader::limit))
                .flatMap(Optional::stream)
                .mapToLong(Long::longValue)
                .filter(bytes -> bytes < NO_LIMIT)
                .min();
    }

    private static long limit(String text) {
        return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    }

    private static OptionalLong lowest(OptionalLong one, OptionalLong other) {
        long lowest = Math.min(one.orElse(Long.MAX_VALUE), other.orElse(Long.MAX_VALUE));
        return lowest == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(lowest);
    }
}
