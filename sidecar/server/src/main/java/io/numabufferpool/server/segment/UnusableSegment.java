package io.numabufferpool.server.segment;

/** What lies in the segment's place cannot be used, and is not touched: trying again would not help. The message has the fix. */
public final class UnusableSegment extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnusableSegment(String message) {
        super(message);
    }
}
