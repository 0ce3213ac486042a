package io.numabufferpool.server;

import io.numabufferpool.server.cli.NumapoolCommand;
import io.numabufferpool.server.cli.ServeProgram;
import io.numabufferpool.server.config.ServeSettings;

/** Where {@code java -jar numapool.jar} begins. */
public final class Numapool {
    private Numapool() {}

    public static void main(String[] arguments) {
        boolean injected = arguments.length == 1 && arguments[0].equals("serve");
        System.exit(
                injected ? ServeProgram.runInPod(ServeSettings.HTTP_PORT_IN_POD) : NumapoolCommand.execute(arguments));
    }
}
