package io.numabufferpool.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeMemoryTest {
    private static final long MIB = 1L << 20;

    @TempDir
    private Path nodes;

    private void write(String meminfo) throws Exception {
        Files.createDirectories(nodes.resolve("node1"));
        Files.writeString(nodes.resolve("node1/meminfo"), meminfo);
    }

    @Test
    void freePagesAndPageCacheCountLessAMargin() throws Exception {
        write("""
                Node 1 MemTotal:        1048576 kB
                Node 1 MemFree:          102400 kB
                Node 1 Active(anon):     500000 kB
                Node 1 Active(file):      10240 kB
                Node 1 Inactive(file):    20480 kB
                Node 1 SReclaimable:       1024 kB
                """);

        assertThat(new NodeMemory(nodes).availableBytes(1)).hasValue((100 + 10 + 20 + 1 - 16) * MIB);
    }

    @Test
    void aFullNodeHasNothing() throws Exception {
        write("Node 1 MemTotal: 1048576 kB\nNode 1 MemFree: 4096 kB\n");

        assertThat(new NodeMemory(nodes).availableBytes(1)).hasValue(0);
    }

    @Test
    void aKernelWithoutNumaDoesNotSay() {
        assertThat(new NodeMemory(nodes).availableBytes(0)).isEmpty();
    }
}
