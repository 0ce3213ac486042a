package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control groups as they look in containers of versions 1 and 2, with and without a namespace of their own. */
class CgroupReaderTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path root;

    private CgroupReader reader;

    @BeforeEach
    void read() {
        reader = new CgroupReader(root.resolve("proc"));
    }

    private void file(String path, String text) {
        try {
            Files.createDirectories(root.resolve(path).getParent());
            Files.writeString(root.resolve(path), text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String mount(String mountRoot, String mountPoint, String type, String options) {
        return "31 23 0:28 " + mountRoot + " " + root.resolve(mountPoint) + " rw,nosuid shared:9 - " + type + " cgroup "
                + options;
    }

    @Test
    void version2InANamespaceIsReadAtTheMountPoint() {
        file("proc/self/cgroup", "0::/");
        file("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw,nsdelegate"));
        file("cg/cpuset.cpus.effective", "0,2-3");
        file("cg/cpuset.mems.effective", "1");
        file("cg/memory.max", Long.toString(GIB));

        var cgroup = reader.read();

        assertThat(cgroup.cpus().orElseThrow()).hasToString("0,2-3");
        assertThat(cgroup.mems().orElseThrow()).hasToString("1");
        assertThat(cgroup.memoryLimitBytes()).hasValue(GIB);
    }

    @Test
    void theLowestLimitOfAllAncestorsCounts() {
        file("proc/self/cgroup", "0::/pod/container");
        file("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw"));
        file("cg/pod/container/memory.max", "max");
        file("cg/pod/memory.max", Long.toString(2 * GIB));
        file("cg/memory.max", Long.toString(3 * GIB));

        assertThat(reader.read().memoryLimitBytes()).hasValue(2 * GIB);
    }

    @Test
    void aGroupWithoutTheControllerHasItsAncestorsCpuset() {
        file("proc/self/cgroup", "0::/pod/container");
        file("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw"));
        file("cg/pod/cpuset.mems.effective", "0-1");
        file("cg/pod/container/cpuset.mems.effective", "");

        assertThat(reader.read().mems().orElseThrow()).hasToString("0-1");
    }

    @Test
    void version1WithoutANamespaceIsReadBelowTheMountsRoot() {
        file("proc/self/cgroup", "4:memory:/docker/abc/inner\n3:cpuset,cpu:/docker/abc\n0::/docker/abc");
        file(
                "proc/self/mountinfo",
                mount("/docker/abc", "memory", "cgroup", "rw,memory") + "\n"
                        + mount("/docker/abc", "cpuset", "cgroup", "rw,cpuset,cpu"));
        file("cpuset/cpuset.effective_cpus", "4-7");
        file("cpuset/cpuset.effective_mems", "1");
        file("memory/inner/memory.limit_in_bytes", Long.toString(GIB));
        file("memory/memory.limit_in_bytes", "9223372036854771712");

        var cgroup = reader.read();

        assertThat(cgroup.cpus().orElseThrow()).hasToString("4-7");
        assertThat(cgroup.mems().orElseThrow()).hasToString("1");
        assertThat(cgroup.memoryLimitBytes()).hasValue(GIB);
    }

    @Test
    void version1WithoutEffectiveFilesHasThePlainOnes() {
        file("proc/self/cgroup", "3:cpuset:/");
        file("proc/self/mountinfo", mount("/", "cpuset", "cgroup", "rw,cpuset"));
        file("cpuset/cpuset.cpus", "0-1");
        file("cpuset/cpuset.mems", "0");

        assertThat(reader.read().cpus().orElseThrow()).hasToString("0-1");
    }

    @Test
    void theHighestNumberOfVersion1IsNoLimit() {
        file("proc/self/cgroup", "4:memory:/");
        file("proc/self/mountinfo", mount("/", "memory", "cgroup", "rw,memory"));
        file("memory/memory.limit_in_bytes", "9223372036854771712");

        assertThat(reader.read().memoryLimitBytes()).isEmpty();
    }

    @Test
    void aGroupOutsideTheMountIsTheMountPointItself() {
        file("proc/self/cgroup", "0::/../sibling");
        file("proc/self/mountinfo", mount("/docker/abc", "cg", "cgroup2", "rw"));
        file("cg/memory.max", Long.toString(GIB));

        assertThat(reader.read().memoryLimitBytes()).hasValue(GIB);
    }

    @Test
    void aMountPointWithASpaceIsFound() {
        file("proc/self/cgroup", "0::/");
        file("proc/self/mountinfo", mount("/", "c g", "cgroup2", "rw").replace("c g", "c\\040g"));
        file("c g/memory.max", Long.toString(GIB));

        assertThat(reader.read().memoryLimitBytes()).hasValue(GIB);
    }

    @Test
    void withoutControlGroupsNothingIsLimited() {
        var cgroup = reader.read();

        assertThat(cgroup.cpus()).isEmpty();
        assertThat(cgroup.mems()).isEmpty();
        assertThat(cgroup.memoryLimitBytes()).isEmpty();
    }

    @Test
    void aLimitThatIsNoNumberIsNamedWithItsFile() {
        file("proc/self/cgroup", "0::/");
        file("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw"));
        file("cg/memory.max", "a lot");

        assertThatThrownBy(reader::read)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("memory.max")
                .hasMessageContaining("a lot");
    }
}
