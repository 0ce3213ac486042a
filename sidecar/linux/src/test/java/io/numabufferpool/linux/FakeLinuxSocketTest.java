package io.numabufferpool.linux;

import java.nio.file.Path;

/** The contract on the machine in memory. */
class FakeLinuxSocketTest extends LinuxSocketContract {
    private final Linux linux =
            new FakeLinux(SysfsShape.named("two-sockets").topology().read());

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return Path.of("/segment");
    }
}
