package io.numabufferpool.bench.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pool's own replacement against models of its peers, on the workloads that need no file. No clock is read. */
class ReplacementTest {
    /** Points that the pool may be behind PostgreSQL's clock anywhere: the goal is 0.5, one size of the drift is at 0.59. */
    private static final double BEHIND_MAX = 0.65;

    /** Points that the pool has to be ahead wherever S3-FIFO is. */
    private static final double AHEAD_MIN = 3;

    static Stream<Workload> workloads() {
        return Workload.made().stream();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void thePoolIsAsGoodAsPostgresAndAheadWhereS3FifoIs(Workload workload) {
        for (double share : ReplacementTable.SHARES) {
            var row = ReplacementTable.row(workload, workload.cacheSize(share));

            assertThat(row.gain()).as(row.toString()).isGreaterThan(-BEHIND_MAX);
            if (row.queues() >= row.postgres() + AHEAD_MIN) {
                assertThat(row.gain()).as(row.toString()).isGreaterThan(AHEAD_MIN);
            }
            // Sessions know only of their own probation: a little less.
            assertThat(row.poolOfSessions()).as(row.toString()).isGreaterThan(row.postgres() - 2 * BEHIND_MAX);
            assertThat(Stream.of(row.pool(), row.postgres(), row.clock(), row.recency(), row.sieve(), row.queues()))
                    .as(row.toString())
                    .allSatisfy(ratio -> assertThat(ratio).isLessThanOrEqualTo(row.optimal()));
        }
    }

    @Test
    void aLoopLargerThanTheCacheHitsInWhatStays() {
        var workload = Workload.made().getLast();

        var row = ReplacementTable.row(workload, workload.cacheSize(0.8));

        assertThat(row.recency()).isZero();
        assertThat(row.optimal()).isGreaterThan(75);
    }
}
