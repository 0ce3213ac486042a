package io.numabufferpool.linux;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

/** The contract on the kernel of this machine. */
class JnaLinuxTest extends LinuxContract {
    private final Linux linux = new JnaLinux();
    private final TmpfsFolder folder = new TmpfsFolder();

    @Override
    Linux linux() {
        return linux;
    }

    @Override
    Path folder() {
        return folder.path();
    }

    @AfterEach
    void deleteFolder() {
        folder.close();
    }
}
