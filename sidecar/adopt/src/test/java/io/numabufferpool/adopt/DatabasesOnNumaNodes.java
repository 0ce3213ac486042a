package io.numabufferpool.adopt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's databases, unmodified, on NUMA nodes 0 to 3. Runs in the numa lane. */
class DatabasesOnNumaNodes {
    private static final String QUERY_ANSWERS = "20000|10000000\n";
    private static final long STRIPE_BYTES = 2L << 20;

    @TempDir
    private static Path folder;

    private static Bench bench;

    @BeforeAll
    static void compile() throws Exception {
        bench = new Bench(folder).buildLibrary("cc");
        // PostgreSQL refuses to run as root, and must reach the library and write its report.
        for (var open : List.of(folder, Files.createDirectories(bench.reportFolder()))) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
    }

    @BeforeEach
    void startFromFourNodes() {
        bench.forget().set("NODES", "0-3");
    }

    private static String script(String name) {
        return bench.sources().resolve("test/sh/" + name).toString();
    }

    @Test
    void buffersOfPostgresqlLieOnOneNodeWithoutTheLibraryAndOnAllWithIt() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/lib/postgresql/15/bin/postgres")),
                "NOT TESTED WITH POSTGRESQL HERE: install postgresql-15");
        var script = script("postgres-shows-its-buffers");

        var plain = Bench.runPlain(Map.of(), List.of(script, folder.toString()));
        var adopted = bench.run(script, folder);

        assertThat(plain.output()).startsWith(QUERY_ANSWERS).containsPattern(" N1=[0-9]+ kernelpagesize");
        assertThat(plain.output()).doesNotContainPattern(" N[023]=");
        assertThat(adopted.output())
                .startsWith(QUERY_ANSWERS)
                .containsPattern("interleave:0-3 .* N0=[0-9]+ N1=[0-9]+ N2=[0-9]+ N3=[0-9]+ ");
        assertThat(bench.reports()).hasSize(1);
        var report = bench.reports().getFirst();
        long bytes = Long.parseLong(report.get("bytes"));
        assertThat(report).containsEntry("program", "postgres").containsEntry("state", "Placed");
        assertThat(Long.parseLong(report.get("hugeBytes"))).isGreaterThan(bytes - STRIPE_BYTES);
        for (int node = 0; node < 4; node++) {
            assertThat(Long.parseLong(report.get("placed." + node)))
                    .isBetween(bytes / 4 - STRIPE_BYTES, bytes / 4 + STRIPE_BYTES);
        }
    }

    @Test
    void heapOfRedisIsSpreadOverEveryNode() {
        assumeTrue(Bench.has("redis-server"), "NOT TESTED WITH REDIS HERE: install redis-server");

        var ended = bench.set("KINDS", "Private").set("MIN_SIZE", "4Mi").run(script("redis-fills-its-heap"), folder);

        assertThat(ended).isEqualTo(new Bench.Ended(0, "60000\n"));
        assertThat(bench.reports())
                .isNotEmpty()
                .anySatisfy(report -> assertThat(report)
                        .containsEntry("program", "redis-server")
                        .containsKeys("placed.0", "placed.1", "placed.2", "placed.3"));
    }
}
