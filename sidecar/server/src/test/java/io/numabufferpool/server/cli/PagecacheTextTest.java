package io.numabufferpool.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.server.pagecache.CacheReport;
import io.numabufferpool.server.pagecache.CachedFile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagecacheTextTest {
    private static final long MIB = 1L << 20;

    private static CachedFile file(String path, long bytes, long cachedBytes, Map<Integer, Long> ofNode) {
        return new CachedFile(path, bytes, cachedBytes, new TreeMap<>(ofNode));
    }

    private static CacheReport report() {
        var large = file(
                "/var/lib/postgresql/15/main/base/16384/a-table-with-a-long-name.1",
                1024 * MIB,
                512 * MIB,
                Map.of(0, 384 * MIB, 1, 128 * MIB));
        var empty = file("/var/lib/empty", 0, 0, Map.of());
        var total = file("2 files", 1024 * MIB, 512 * MIB, large.bytesOfNode());
        return new CacheReport(
                List.of(large, empty),
                total,
                List.of(0, 1, 2, 3),
                List.of(new CacheReport.Spread("/var/lib/empty", 0, 8192)),
                2,
                List.of());
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 120})
    void noLineIsWiderThanTheTerminal(int columns) {
        var lines = new PagecacheText(report(), columns).lines();

        assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
        assertThat(lines.get(1)).contains("name.1", "1 GiB", "512 MiB", "#####.....", "75/25/0/0");
    }

    @Test
    void aNarrowTerminalShowsTheEndOfANameAndEveryNode() {
        assertThat(new PagecacheText(report(), 80).lines())
                .startsWith(
                        "FILE                             SIZE      CACHED              % OF NODE 0/1/2/3",
                        "...4/a-table-with-a-long-name.1  1 GiB    512 MiB  #####.....          75/25/0/0",
                        "/var/lib/empty                   0 bytes  0 bytes  ..........                  -",
                        "",
                        "2 files, 1 GiB: 512 MiB in memory.",
                        "NUMA NODE                                  IN MEMORY  SHARE",
                        "node 0     #######################.......    384 MiB   75 %",
                        "node 1     ########......................    128 MiB   25 %",
                        "node 2     ..............................    0 bytes    0 %",
                        "node 3     ..............................    0 bytes    0 %");
    }

    @Test
    void whatCouldNotBeDroppedAndLinksThatWereNotFollowedAreSaid() {
        var text = String.join(" ", new PagecacheText(report(), 120).lines());

        assertThat(text).contains("8 KiB could not be dropped").contains("2 symbolic links inside folders");
    }
}
