package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumaMapsTest {
    private static NumaMaps.Line line(String text) {
        return NumaMaps.parse(text).orElseThrow();
    }

    @Test
    void aLineOfHugePagesGivesBytesPerNode() {
        var line = line("7f2a3c000000 bind:10 file=/dev/hugepages/pool huge dirty=5 N0=2 N10=3 kernelpagesize_kB=2048");

        assertThat(line.address()).isEqualTo(0x7f2a3c000000L);
        assertThat(line.policy()).isEqualTo("bind:10");
        assertThat(line.pages()).isEqualTo(new TreeMap<>(Map.of(0, 2L, 10, 3L)));
        assertThat(line.bytesOn(10)).isEqualTo(3L << 21);
        assertThat(line.bytesOn(1)).isZero();
        assertThat(line.bytes()).isEqualTo(5L << 21);
    }

    @Test
    void aLineWithoutPagesHasNone() {
        var line = line("55d0c0a00000 default file=/usr/bin/java");

        assertThat(line.bytes()).isZero();
        assertThat(line.pages()).isEmpty();
    }

    @Test
    void aFileNameThatLooksLikeACountIsNone() {
        var line = line("7f00 default file=/tmp/a\\040N10\\0755 mapped=1 N0=1 kernelpagesize_kB=4");

        assertThat(line.pages()).isEqualTo(new TreeMap<>(Map.of(0, 1L)));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
            7f00 weighted interleave:0-1 anon=2 dirty=2 N0=1 N1=1 kernelpagesize_kB=4, weighted interleave:0-1, 0-1
            7f00 prefer (many):0-2 N1=1 kernelpagesize_kB=4,                           prefer (many):0-2,       0-2
            7f00 interleave=static:0-3 heap,                                           interleave=static:0-3,   0-3
            7f00 prefer:1 stack,                                                       prefer:1,                1
            7f00 local,                                                                local,                   ""
            7f00 default heap anon=3,                                                  default,                 ""
            """)
    void thePolicyIsReadWhole(String text, String policy, String numaNodes) {
        var line = line(text);

        assertThat(line.policy()).isEqualTo(policy);
        assertThat(NumaMaps.policyNodes(line.policy())).hasToString(numaNodes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "default", "7f00", "xyz default N0=1", "7f00000000000000000000 default"})
    void aLineWithoutAnAddressOrAPolicyIsNone(String text) {
        assertThat(NumaMaps.parse(text)).isEmpty();
    }

    @Test
    void anAddressInTheKernelsHalfIsRead() {
        assertThat(line("ffffffffff600000 default").address()).isNegative();
    }
}
