package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes as people write them. */
class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "4096, 4096",
        "007, 7",
        "4Ki, 4096",
        "2Mi, 2097152",
        "4Gi, 4294967296",
        "64Ti, 70368744177664",
        "4k, 4000",
        "4M, 4000000",
        "4G, 4000000000",
        "4T, 4000000000000",
        "4e9, 4000000000",
        "4E3, 4000",
        "1e0, 1"
    })
    void sizesAreBytes(String text, long bytes) {
        assertThat(Quantity.parse("spec.size", text)).isEqualTo(bytes);
        assertThat(Quantity.tryParse(text)).hasValue(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "4 Gi",
                " 4Gi",
                "4Gi ",
                "4gi",
                "4GB",
                "4K",
                "-4Gi",
                "+4Gi",
                "1.5Gi",
                ".5Gi",
                "0x10",
                "4Gi4Gi",
                "1e",
                "1e-3",
                "1e+3",
                "1e100",
                "4m",
                "\u0664Gi",
                "1_000",
                "4Gi\n",
                "1111111111111111111111111111111"
            })
    void whatIsNoSizeIsRefusedByFieldAndFix(String text) {
        assertThatThrownBy(() -> Quantity.parse("spec.maxSize", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spec.maxSize: " + text.replace('\n', ' ')
                        + " is not a size; use a whole number with a suffix, such as 512Mi or 4Gi.");
        assertThat(Quantity.tryParse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "0Gi",
                "0e99",
                "65Ti",
                "70368744177665",
                "1Pi",
                "1E",
                "9e99",
                "999999999999999999999999999999Ei"
            })
    void whatIsOutOfRangeIsRefusedByFieldAndFix(String text) {
        assertThatThrownBy(() -> Quantity.parse("spec.size", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spec.size: " + text + " is out of range; use more than 0 and at most 64Ti.");
        assertThat(Quantity.tryParse(text)).isEmpty();
    }
}
