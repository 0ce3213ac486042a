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
    /** Left on the node for the kernel's own allocations and the watermarks it keeps: this part of it, within these bounds. */
    private static final int MARGIN_DIVISOR = 64;

    private static final long MARGIN_BYTES_MIN = 8L << 20;
    private static final long MARGIN_BYTES_MAX = 64L << 20;

    private static final Pattern LINE = Pattern.compile(
            "^Node \\d+ (MemTotal|MemFree|Active\\(file\\)|Inactive\\(file\\)|SReclaimable):\\s+(\\d+) kB$");

    private final Path nodesDirectory;

    /** {@code nodesDirectory}: {@code /sys/devices/system/node}. */
    public NodeMemory(Path nodesDirectory) {
        this.nodesDirectory = nodesDirectory;
    }

    /** Bytes beyond the margin, at least 0; empty where the kernel does not say (no NUMA in it). */
    public OptionalLong availableBytes(int numaNode) {
        long totalBytes = 0;
        long reclaimableBytes = 0;
        try {
            for (var line : Files.readAllLines(nodesDirectory.resolve("node" + numaNode + "/meminfo"))) {
                var matcher = LINE.matcher(line);
                if (!matcher.matches()) {
                    continue;
                }
                long bytes = Long.parseLong(matcher.group(2)) * 1024;
                if (matcher.group(1).equals("MemTotal")) {
                    totalBytes = bytes;
                } else {
                    reclaimableBytes += bytes;
                }
            }
        } catch (IOException withoutNuma) {
            return OptionalLong.empty();
        }
        long margin = Math.clamp(totalBytes / MARGIN_DIVISOR, MARGIN_BYTES_MIN, MARGIN_BYTES_MAX);
        return OptionalLong.of(Math.max(0, reclaimableBytes - margin));
    }
}
