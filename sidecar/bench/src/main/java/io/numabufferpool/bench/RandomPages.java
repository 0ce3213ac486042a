package io.numabufferpool.bench;

/** Page numbers that no prefetcher guesses, at the cost of a few instructions each (Marsaglia's xorshift). */
final class RandomPages {
    private static final long SEED = 0x9E37_79B9_7F4A_7C15L;

    private final int count;
    private long state = SEED;

    RandomPages(int count) {
        this.count = count;
    }

    int next() {
        long x = state;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        state = x;
        return (int) (((x >>> 32) * count) >>> 32);
    }
}
