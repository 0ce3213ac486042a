package io.numabufferpool.server.cli;

import io.numabufferpool.client.attach.AttachProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the attach folder of the pool that a command is about, without being told where possible. */
final class RunningPools {
    private static final Path IN_POD = Path.of("/run/numa-buffer-pool");
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private RunningPools() {}

    /**
     * The folder with the socket: {@code --dir} as given to serve or the attach folder itself, else the environment's, else
     * the pod's, else the only one that is served on this machine.
     *
     * @throws CommandFailed naming what there is, where that is not one
     */
    static Path attachFolder(@Nullable Path given, Optional<String> environment) {
        if (given != null) {
            return Files.exists(socket(given)) ? given : given.resolve("attach");
        }
        if (environment.isPresent()) {
            return Path.of(environment.get());
        }
        if (Files.exists(socket(IN_POD))) {
            return IN_POD;
        }
        var found = onThisMachine();
        if (found.size() == 1) {
            return found.getFirst().resolve("attach");
        }
        throw new CommandFailed(
                ExitStatus.USAGE,
                found.isEmpty()
                        ? "no pool is served here: neither " + socket(IN_POD)
                                + " nor /dev/shm/numapool-*/attach/attach.sock exists. Start one with"
                                + " \"numapool serve -f pool.yaml\", or name its folder by --dir."
                        : "several pools are served here; choose one by --dir: "
                                + String.join(
                                        ", ", found.stream().map(Path::toString).toList()) + ".");
    }

    private static List<Path> onThisMachine() {
        var found = new ArrayList<Path>();
        try (var folders = Files.newDirectoryStream(SHARED_MEMORY, "numapool-*")) {
            for (var folder : folders) {
                if (Files.exists(socket(folder.resolve("attach")))) {
                    found.add(folder);
                }
            }
        } catch (IOException withoutSharedMemory) {
            return List.of();
        }
        found.sort(null);
        return found;
    }

    private static Path socket(Path attachFolder) {
        return attachFolder.resolve(AttachProtocol.SOCKET_NAME);
    }
}
