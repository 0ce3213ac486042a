package io.numabufferpool.server.cli;

/** A horizontal bar of fixed width, in characters that every font has. */
public final class Bar {
    private Bar() {}

    /** {@code part} of {@code whole}; an empty bar where whole is 0. Something that is not nothing shows at least once. */
    public static String of(long part, long whole, int width) {
        long clamped = Math.clamp(part, 0, Math.max(whole, 0));
        int filled = whole <= 0 ? 0 : (int) Math.round((double) clamped / whole * width);
        if (clamped > 0 && filled == 0) {
            filled = 1;
        }
        return "#".repeat(filled) + ".".repeat(width - filled);
    }
}
