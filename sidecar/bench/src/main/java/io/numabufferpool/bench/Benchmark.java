package io.numabufferpool.bench;

/** One thing that is measured. */
interface Benchmark {
    /** Measures on a segment that another process made and filled. */
    Figure run(BenchSegment segment) throws Exception;
}
