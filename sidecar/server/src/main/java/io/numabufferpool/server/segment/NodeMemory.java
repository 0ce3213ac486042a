package io.numabufferpool.server.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * How much memory a NUMA node can give without swapping or killing: free pages and page cache, from the node's meminfo. A
 * page that is bound to a full node would call the OOM killer, so this is asked before each chunk.
 */
public final class NodeMemory {
    /** Left for the kernel's own allocations on the node and for the watermarks below which it does not go. */
    static final long MARGIN_BYTES = 64L << 20;

    private static final Pattern RECLAIMABLE =
            Pattern.compile("^Node \\d+ (MemFree|Active\\(file\\)|Inactive\\(file\\)|SReclaimable):\\s+(\\d+) kB$");

    private final Path nodesDirectory;

    /** {@code nodesDirectory}: {@code /sys/devices/system/node}. */
    public NodeMemory(Path nodesDirectory) {
        this.nodesDirectory = nodesDirectory;
    }

    /** Bytes beyond the margin, at least 0; empty where the kernel does not say (no NUMA in it). */
    public OptionalLong availableBytes(int numaNode) {
        long kibibytes = 0;
        try {
            for (var line : Files.readAllLines(nodesDirectory.resolve("node" + numaNode + "/meminfo"))) {
                var matcher = RECLAIMABLE.matcher(line);
                if (matcher.matches()) {
                    kibibytes += Long.parseLong(matcher.group(2));
                }
            }
        } catch (IOException withoutNuma) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(0, kibibytes * 1024 - MARGIN_BYTES));
    }
}
