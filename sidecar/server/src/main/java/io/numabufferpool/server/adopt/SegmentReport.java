package io.numabufferpool.server.adopt;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What libnumapool_adopt.so says about one segment of a program. Immutable.
 *
 * @param process its number, in the program's own pid namespace
 * @param program the command's name, at most 15 characters
 * @param state Placed, Spilled, PolicyOnly or Left
 * @param why in words; empty where there is nothing to say
 * @param kind how the program made it; empty where none was looked at
 * @param method the rung of the ladder
 * @param bytes its size
 * @param hugeBytes of it in pages of 2 MiB or more
 * @param wanted bytes by NUMA node
 * @param placed bytes by NUMA node that are there, as the kernel counts them
 */
public record SegmentReport(
        long process,
        String program,
        String state,
        String why,
        String kind,
        String method,
        long bytes,
        long hugeBytes,
        SortedMap<Integer, Long> wanted,
        SortedMap<Integer, Long> placed) {
    private static final String VERSION = "1";

    public SegmentReport {
        wanted = Collections.unmodifiableSortedMap(new TreeMap<>(wanted));
        placed = Collections.unmodifiableSortedMap(new TreeMap<>(placed));
    }

    /** The text is not one of our library's: not whole, of another version, or no report at all. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /** Reads {@code key=value} lines. */
    static SegmentReport parse(List<String> lines) throws Malformed {
        var fields = new HashMap<String, String>();
        for (var line : lines) {
            int equals = line.indexOf('=');
            if (equals < 0) {
                throw new Malformed("a line without \"=\"");
            }
            fields.put(line.substring(0, equals), line.substring(equals + 1));
        }
        if (!VERSION.equals(fields.get("version"))) {
            throw new Malformed("version " + fields.get("version") + " instead of " + VERSION);
        }
        if (!"1".equals(fields.get("end"))) {
            throw new Malformed("it was cut off");
        }
        return new SegmentReport(
                number(fields, "process"),
                fields.getOrDefault("program", ""),
                fields.getOrDefault("state", ""),
                fields.getOrDefault("why", ""),
                fields.getOrDefault("kind", ""),
                fields.getOrDefault("method", "None"),
                number(fields, "bytes"),
                number(fields, "hugeBytes"),
                byNode(fields, "wanted."),
                byNode(fields, "placed."));
    }

    private static long number(Map<String, String> fields, String key) throws Malformed {
        var text = fields.getOrDefault(key, "0");
        if (!text.matches("[0-9]{1,18}")) {
            throw new Malformed(key + " is no number");
        }
        return Long.parseLong(text);
    }

    private static SortedMap<Integer, Long> byNode(Map<String, String> fields, String prefix) throws Malformed {
        var bytes = new TreeMap<Integer, Long>();
        for (var key : fields.keySet()) {
            var node = key.startsWith(prefix) ? key.substring(prefix.length()) : "";
            if (node.matches("[0-9]{1,4}")) {
                bytes.put(Integer.parseInt(node), number(fields, key));
            }
        }
        return bytes;
    }
}
