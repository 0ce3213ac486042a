package io.numabufferpool.server.cli;

/** A command cannot go on for a reason a person can mend: its message is the whole output, without a stack. */
public final class CommandFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitStatus;

    public CommandFailed(int exitStatus, String message) {
        super(message);
        this.exitStatus = exitStatus;
    }

    public int exitStatus() {
        return exitStatus;
    }
}
