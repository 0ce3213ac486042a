package io.numabufferpool.placement;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Bytes as people read them: {@code 1 GiB} in sentences, {@code 1Gi} where a value for a field is meant. */
public final class ByteCount {
    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

    private ByteCount() {}

    /** {@code 1 GiB}, {@code 1.5 GiB}, {@code 17 bytes}: rounded down to two decimals, so it never claims more than there is. */
    public static String render(long bytes) {
        if (bytes < 1024 && bytes > -1024) {
            return bytes + (bytes == 1 ? " byte" : " bytes");
        }
        int unit = 0;
        var rest = BigDecimal.valueOf(bytes);
        var step = BigDecimal.valueOf(1024);
        while (unit < UNITS.length - 1 && rest.abs().compareTo(step) >= 0) {
            rest = rest.divide(step);
            unit++;
        }
        var rounded = rest.setScale(2, RoundingMode.DOWN).stripTrailingZeros();
        return rounded.toPlainString() + " " + UNITS[unit] + "B";
    }

    /** {@code 1Gi}, {@code 1536Mi}, {@code 17}: exact, in the largest unit that divides it, as a Kubernetes quantity. */
    public static String asQuantity(long bytes) {
        int unit = 0;
        long rest = bytes;
        while (unit < UNITS.length - 1 && rest != 0 && rest % 1024 == 0) {
            rest /= 1024;
            unit++;
        }
        return rest + UNITS[unit];
    }
}
