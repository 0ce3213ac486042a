package io.numabufferpool.server.config;

/** What was asked for cannot be meant: the message names the field or variable, the value and what would be right. */
public final class InvalidSettings extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidSettings(String message) {
        super(message);
    }
}
