package io.numabufferpool.server.check;

import java.util.List;
import java.util.SortedMap;

/**
 * What was seen. Blocks are counted once for each time they were read.
 *
 * @param file that was read
 * @param blockBytes bytes of a full block
 * @param blockCount blocks of the file
 * @param inOrder the first pass
 * @param atRandom the second
 * @param wrong the first few wrong blocks, in words; empty if every block was the file's
 */
public record CheckResult(
        String file, int blockBytes, long blockCount, Pass inOrder, Pass atRandom, long seed, List<String> wrong) {
    /**
     * One pass over the file.
     *
     * @param blocks read
     * @param nanos it took
     * @param misses blocks that this process read from the file
     * @param wrongBlocks blocks whose SHA-256 is not that of the file's block
     * @param hitsByNumaNode blocks that were found in the pool, by the NUMA node they lie on; -1 where they lie on no single one
     */
    public record Pass(
            long blocks, long nanos, long misses, long wrongBlocks, SortedMap<Integer, Long> hitsByNumaNode) {
        public long hits() {
            return hitsByNumaNode.values().stream().mapToLong(Long::longValue).sum();
        }

        public long blocksPerSecond() {
            return nanos == 0 ? 0 : Math.round(blocks * 1e9 / nanos);
        }
    }

    public boolean good() {
        return wrongBlocks() == 0;
    }

    public long wrongBlocks() {
        return inOrder.wrongBlocks() + atRandom.wrongBlocks();
    }
}
