package io.numabufferpool.bench;

import java.util.List;

/**
 * One measured number.
 *
 * @param figure its name, such as {@code hit.touch8}
 * @param value median over all slices
 * @param unit {@code x} for a ratio to the peer, else a unit of time
 * @param peer what it was compared with in the same run, or what was measured
 * @param goalMax the highest value that is good enough
 * @param spread first and third quartile of the slices
 * @param note what else the run saw, for a reader; may be empty
 */
record Figure(String figure, double value, String unit, String peer, double goalMax, List<Double> spread, String note) {
    /** The goal as it is printed. */
    String goal() {
        return "<=" + goalMax;
    }
}
