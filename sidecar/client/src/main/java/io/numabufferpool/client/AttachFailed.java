package io.numabufferpool.client;

/** This process cannot use the pool: the message says what was attempted, what the answer was, and what to look at. */
public final class AttachFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AttachFailed(String message) {
        super(message);
    }

    AttachFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
