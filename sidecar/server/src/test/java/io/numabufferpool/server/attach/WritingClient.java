package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.client.attach.AttachRequest.Kind;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** A ReadOnly client that tries everything to write the buffers, and says what the kernel answered. Argument: attach folder. */
final class WritingClient {
    private WritingClient() {}

    public static void main(String[] arguments) throws Exception {
        var linux = new JnaLinux();
        try (var connection = linux.connect(
                        Path.of(arguments[0]).resolve(AttachProtocol.SOCKET_NAME),
                        AttachProtocol.MESSAGE_TIMEOUT_MILLIS);
                var arena = Arena.ofConfined()) {
            var granted = AttachFolder.ask(connection, AttachFolder.request(Kind.ATTACH, 1));
            var buffers = granted.files().get(1);
            var byName = Path.of("/proc/self/fd/" + buffers.descriptor());
            tell("map", () -> linux.map(buffers, 0, 4096, Protection.READ_WRITE, 4096));
            tell("write", () -> linux.write(buffers, arena.allocate(8), 0));
            tell("reopen", () -> linux.reopen(buffers, OpenMode.READ_WRITE));
            tell("through /proc", () -> linux.open(byName, OpenMode.READ_WRITE, 0));
            tell("truncate", () -> linux.setLength(buffers, 0));
            tell("chmod", () -> linux.setPermissions(buffers, 0666));
        }
    }

    private static void tell(String what, Runnable attempt) {
        try {
            attempt.run();
            System.out.println(what + " worked");
        } catch (LinuxException e) {
            System.out.println(what + " " + e.errno());
        }
    }
}
