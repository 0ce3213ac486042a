package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What depends on how the process was started: seccomp, the libc's settings, where JNA's native part comes from. */
class JnaLinuxProcessTest {
    private static ChildJvm.Ended probe(List<String> jvmArguments, Map<String, String> environment, Errno refused) {
        return ChildJvm.run(jvmArguments, environment, ProcessProbe.class, refused.name());
    }

    @ParameterizedTest
    @EnumSource(names = {"EPERM", "ENOSYS"})
    void aSeccompFilterGivesItsErrnoAndNothingElseBreaks(Errno refused) {
        var ended = probe(List.of(), Map.of(), refused);

        assertThat(ended.output())
                .contains("mbindAllowed=false", "taskPolicy=false", "cpu=true")
                .contains("mbind=" + refused, "set=" + refused);
        assertThat(ended.status()).isZero();
    }

    @Test
    void withoutAFilterMemoryPolicyWorks() {
        var ended = probe(List.of(), Map.of(), Errno.OK);

        assertThat(ended.output()).contains("mbindAllowed=true", "taskPolicy=true", "mbind=OK", "set=OK");
    }

    @Test
    void aLibcThatIsToldNotToRegisterRseqStillTellsTheCpu() {
        var ended = probe(List.of(), Map.of("GLIBC_TUNABLES", "glibc.pthread.rseq=0"), Errno.OK);

        assertThat(ended.output()).contains("rseq=false", "cpu=true");
        assertThat(ended.status()).isZero();
    }

    @Test
    void withItsNativePartInAFolderJnaWritesNothing(@TempDir Path folder) throws IOException {
        unpackNativePart(folder);
        var arguments = List.of(
                "-Djna.boot.library.path=" + folder,
                "-Djna.nounpack=true",
                "-Djna.nosys=true",
                "-Djna.tmpdir=/proc/no-such-folder",
                "-Djava.io.tmpdir=/proc/no-such-folder");

        var ended = probe(arguments, Map.of(), Errno.OK);

        assertThat(ended.output()).contains("mbindAllowed=true");
        assertThat(ended.status()).isZero();
    }

    @Test
    void aFolderThatJnaCannotUnpackIntoIsNamedWithTheWayOut() {
        var ended = probe(List.of("-Djna.tmpdir=/proc/no-such-folder"), Map.of(), Errno.OK);

        assertThat(ended.status()).isNotZero();
        assertThat(ended.output())
                .contains("libjnidispatch.so", "/proc/no-such-folder", "noexec", "-Djna.boot.library.path=FOLDER");
    }

    private static void unpackNativePart(Path folder) throws IOException {
        var platform = System.getProperty("os.arch").equals("aarch64") ? "linux-aarch64" : "linux-x86-64";
        var resource = "/com/sun/jna/" + platform + "/libjnidispatch.so";
        try (var library = Native.class.getResourceAsStream(resource)) {
            Files.copy(library, folder.resolve("libjnidispatch.so"));
        }
    }
}
