package io.numabufferpool.operator.report;

/** A report that is not taken: an HTTP status and one sentence for the sidecar's log. */
final class ReportRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final int MALFORMED = 400;
    static final int UNAUTHENTICATED = 401;
    static final int FORBIDDEN = 403;
    static final int NO_SUCH_POOL = 404;
    static final int STALE = 409;
    static final int TOO_MANY = 429;
    static final int BUSY = 503;

    private final int status;

    ReportRefused(int status, String message) {
        // An answer, not a fault: no stack trace, or a flood of bad reports would cost more than good ones.
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
