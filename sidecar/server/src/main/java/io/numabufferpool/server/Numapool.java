package io.numabufferpool.server;

import io.numabufferpool.server.cli.NumapoolCommand;

/** Where {@code java -jar numapool.jar} begins. */
public final class Numapool {
    private Numapool() {}

    public static void main(String[] arguments) {
        System.exit(NumapoolCommand.execute(arguments));
    }
}
