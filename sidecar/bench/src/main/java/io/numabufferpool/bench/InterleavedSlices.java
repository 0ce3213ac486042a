package io.numabufferpool.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;

/**
 * Compares two pieces of code that take turns in short slices on one thread, by the thread's CPU time: what disturbs a shared
 * machine disturbs both alike, and one slow slice moves no median.
 */
final class InterleavedSlices {
    /** Runs an operation so many times; returns something that depends on every one, so that nothing is optimised away. */
    interface Subject {
        long run(int times) throws Exception;
    }

    /** Odd, so that the median is one of them. */
    private static final int SLICES = 61;

    /** Until the compiler has seen both: at least so many slices of each before the first that counts. */
    private static final int WARM_UP_SLICES = 25;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final double[] subjectNanos = new double[SLICES];
    private final double[] peerNanos = new double[SLICES];
    private long blackHole;

    /** @param times operations a slice, some milliseconds' worth */
    static InterleavedSlices measure(Subject subject, Subject peer, int times) throws Exception {
        var slices = new InterleavedSlices();
        for (int i = -WARM_UP_SLICES; i < SLICES; i++) {
            double one = slices.slice(subject, times);
            double other = slices.slice(peer, times);
            if (i >= 0) {
                slices.subjectNanos[i] = one;
                slices.peerNanos[i] = other;
            }
        }
        return slices;
    }

    private double slice(Subject subject, int times) throws Exception {
        long begin = THREADS.getCurrentThreadCpuTime();
        blackHole += subject.run(times);
        return (double) (THREADS.getCurrentThreadCpuTime() - begin) / times;
    }

    /** Median of the slices' ratios, and their quartiles. */
    Figure ratio(String figure, String peer, double goalMax) {
        var ratios = new double[SLICES];
        Arrays.setAll(ratios, i -> subjectNanos[i] / peerNanos[i]);
        Arrays.sort(ratios);
        var note = rounded(median(subjectNanos)) + " ns against " + rounded(median(peerNanos)) + " ns"
                + (blackHole == Long.MIN_VALUE ? "." : "");
        return new Figure(figure, rounded(ratios[SLICES / 2]), "x", peer, goalMax, quartiles(ratios), note);
    }

    /** The subject's median alone. */
    Figure micros(String figure, String what, double goalMax, String note) {
        var micros =
                Arrays.stream(subjectNanos).map(nanos -> nanos / 1000).sorted().toArray();
        return new Figure(figure, rounded(micros[SLICES / 2]), "us", what, goalMax, quartiles(micros), note);
    }

    private static List<Double> quartiles(double[] sorted) {
        return List.of(rounded(sorted[SLICES / 4]), rounded(sorted[3 * SLICES / 4]));
    }

    private static double median(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
