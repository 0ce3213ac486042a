package io.numabufferpool.server.demo;

/** A step of the demo did not do what it had to: the message says which, and what was seen. */
public final class DemoFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoFailed(String message) {
        super(message);
    }
}
