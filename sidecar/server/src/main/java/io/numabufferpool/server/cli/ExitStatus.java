package io.numabufferpool.server.cli;

/** What the program answers to the shell; {@code --help} lists it. */
public final class ExitStatus {
    /** Done, or stopped as asked by SIGTERM. */
    public static final int OK = 0;
    /** It could not do what it is for; the last line of the log says why. */
    public static final int FAILED = 1;
    /** Wrong words on the command line, or a pool file that is not valid. */
    public static final int USAGE = 2;

    private ExitStatus() {}
}
