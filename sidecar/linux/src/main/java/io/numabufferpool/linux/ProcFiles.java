package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the kernel tells a process about itself under /proc/self. Lines are streamed: these files have megabytes. Thread-safe. */
final class ProcFiles {
    /** smaps begins each mapping with {@code from-to permissions ...}; its other lines begin with a word and a colon. */
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]{1,16})-[0-9a-f]{1,16} .*");

    private static final Pattern KIB_LINE = Pattern.compile("([A-Za-z_]+): +([0-9]{1,15}) kB");
    private static final long KIB = 1024;

    /** The value, or the first of several (Uid: real, effective, saved, file system). */
    private static final Pattern STATUS_LINE =
            Pattern.compile("(Mems_allowed_list|Cpus_allowed_list|Seccomp|Uid):\\s*(\\S*).*");

    private final Path self;

    /** @param self /proc/self, or a folder like it */
    ProcFiles(Path self) {
        this.self = self;
    }

    List<NumaMaps.Line> numaMaps(MemorySegment range) {
        requireNative(range);
        if (!Files.exists(self.resolve("numa_maps"))) {
            return withoutNuma(range);
        }
        return read(
                "numa_maps",
                lines -> lines.map(NumaMaps::parse)
                        .flatMap(Optional::stream)
                        .filter(line -> beginsIn(range, line.address()))
                        .sorted(Comparator.comparing(NumaMaps.Line::address, Long::compareUnsigned))
                        .toList());
    }

    /** A kernel without NUMA, or a sandbox, has no numa_maps: what is resident is on node 0. */
    private List<NumaMaps.Line> withoutNuma(MemorySegment range) {
        return smaps(range).stream()
                .map(mapping -> {
                    long pageBytes = Math.max(mapping.bytes("KernelPageSize"), KIB);
                    long pages = (mapping.bytes("Rss") + mapping.reservedBytes()) / pageBytes;
                    return new NumaMaps.Line(
                            mapping.address,
                            "default",
                            pageBytes,
                            new TreeMap<>(pages == 0 ? Map.of() : Map.of(0, pages)));
                })
                .toList();
    }

    HugeBytes hugeBytes(MemorySegment range) {
        requireNative(range);
        long transparent = 0;
        long reserved = 0;
        for (var mapping : smaps(range)) {
            transparent += mapping.bytes("ShmemPmdMapped") + mapping.bytes("FilePmdMapped");
            reserved += mapping.reservedBytes();
        }
        return new HugeBytes(transparent, reserved);
    }

    /** One mapping of smaps: where it begins, and its figures. */
    private static final class Smap {
        private final long address;
        private final Map<String, Long> bytes = new HashMap<>();

        private Smap(long address) {
            this.address = address;
        }

        private long bytes(String key) {
            return bytes.getOrDefault(key, 0L);
        }

        private long reservedBytes() {
            return bytes("Shared_Hugetlb") + bytes("Private_Hugetlb");
        }
    }

    /** The mappings that begin in the range. */
    private List<Smap> smaps(MemorySegment range) {
        return read("smaps", lines -> {
            var mappings = new ArrayList<Smap>();
            boolean inside = false;
            for (var line : (Iterable<String>) lines::iterator) {
                var mapping = MAPPING.matcher(line);
                if (mapping.matches()) {
                    long address = Long.parseUnsignedLong(mapping.group(1), 16);
                    inside = beginsIn(range, address);
                    if (inside) {
                        mappings.add(new Smap(address));
                    }
                    continue;
                }
                var kib = KIB_LINE.matcher(line);
                if (inside && kib.matches()) {
                    mappings.getLast().bytes.put(kib.group(1), Long.parseLong(kib.group(2)) * KIB);
                }
            }
            return mappings;
        });
    }

    private static void requireNative(MemorySegment range) {
        if (!range.isNative()) {
            throw new IllegalArgumentException("Memory on the Java heap is not in a mapping of its own: " + range);
        }
    }

    private static boolean beginsIn(MemorySegment range, long address) {
        // An address of the kernel's half is negative, hence outside.
        return address >= range.address() && address - range.address() < range.byteSize();
    }

    /** A kernel without NUMA or without seccomp leaves lines out: node 0, no filter. */
    ProcessStatus processStatus() {
        var values = read(
                "status",
                lines -> lines.map(STATUS_LINE::matcher)
                        .filter(Matcher::matches)
                        .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2), (first, _) -> first)));
        return new ProcessStatus(
                NumaNodeSet.parse(values.getOrDefault("Mems_allowed_list", "0")),
                CpuSet.parse(values.getOrDefault("Cpus_allowed_list", "")),
                Integer.parseInt(values.getOrDefault("Seccomp", "0")),
                Integer.parseUnsignedInt(values.getOrDefault("Uid", "0")));
    }

    private <T> T read(String name, Function<Stream<String>, T> reader) {
        // File names in these files may have any bytes, hence an encoding that takes any.
        try (var lines = Files.lines(self.resolve(name), StandardCharsets.ISO_8859_1)) {
            return reader.apply(lines);
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + self.resolve(name), e);
        }
    }
}
