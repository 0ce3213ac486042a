package io.numabufferpool.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The contract on the kernel of this machine, where it has reserved huge pages. */
@RequiresHugePages(8)
class JnaLinuxHugePagesTest extends LinuxHugePagesContract {
    private final Linux linux = new JnaLinux();

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return HugePagesCondition.folder().orElseThrow();
    }

    @Override
    void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("deleting " + path, e);
        }
    }
}
