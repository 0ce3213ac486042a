package io.numabufferpool.linux;

import java.nio.file.Path;

/** The contract on the machine in memory. */
class FakeLinuxHugePagesTest extends LinuxHugePagesContract {
    private static final Path FOLDER = Path.of("/hugepages");

    private final FakeLinux linux =
            new FakeLinux(SysfsShape.named("two-sockets").topology().read());

    FakeLinuxHugePagesTest() {
        linux.mountHugePages(FOLDER, 2L << 20);
    }

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return FOLDER;
    }

    @Override
    void delete(Path path) {
        linux.delete(path);
    }
}
