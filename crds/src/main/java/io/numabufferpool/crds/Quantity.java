package io.numabufferpool.crds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Sizes as Kubernetes writes them: a whole number with a suffix, such as {@code 512Mi}. Fractions ({@code 1.5Gi}), which a
 * Kubernetes quantity may have, are refused here and by the API server alike, because CEL cannot turn them into bytes.
 */
public final class Quantity {
    /** More than any machine has; what is larger is a typing error. */
    public static final long BYTES_MAX = 64L << 40;

    static final String BYTES_MAX_TEXT = "64Ti";

    static final String MALFORMED = " is not a size; use a whole number with a suffix, such as 512Mi or 4Gi.";
    static final String OUT_OF_RANGE = " is out of range; use more than 0 and at most " + BYTES_MAX_TEXT + ".";

    /** Understood by RE2 (the API server) and Java alike; the number's length keeps both cheap. */
    static final String PATTERN = "^[0-9]{1,30}(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E|[eE][0-9]{1,2})?$";

    private static final Pattern COMPILED = Pattern.compile(PATTERN);
    private static final Map<String, BigDecimal> FACTORS = Map.ofEntries(
            Map.entry("", BigDecimal.ONE),
            Map.entry("Ki", binary(1)),
            Map.entry("Mi", binary(2)),
            Map.entry("Gi", binary(3)),
            Map.entry("Ti", binary(4)),
            Map.entry("Pi", binary(5)),
            Map.entry("Ei", binary(6)),
            Map.entry("k", BigDecimal.TEN.pow(3)),
            Map.entry("M", BigDecimal.TEN.pow(6)),
            Map.entry("G", BigDecimal.TEN.pow(9)),
            Map.entry("T", BigDecimal.TEN.pow(12)),
            Map.entry("P", BigDecimal.TEN.pow(15)),
            Map.entry("E", BigDecimal.TEN.pow(18)));

    private Quantity() {}

    /**
     * Bytes, 1 to {@link #BYTES_MAX}.
     *
     * @param field for the message, such as {@code spec.size}
     * @throws IllegalArgumentException with the field, the value and the fix, in the API server's words
     */
    public static long parse(String field, String text) {
        if (!isWellFormed(text)) {
            throw new IllegalArgumentException(malformed(field, text));
        }
        if (!isInRange(text)) {
            throw new IllegalArgumentException(outOfRange(field, text));
        }
        return exact(text).longValueExact();
    }

    /** Bytes where the text is well-formed and in range. */
    static OptionalLong tryParse(String text) {
        return isWellFormed(text) && isInRange(text)
                ? OptionalLong.of(exact(text).longValueExact())
                : OptionalLong.empty();
    }

    static boolean isWellFormed(String text) {
        return COMPILED.matcher(text).matches();
    }

    /** Of well-formed text only. */
    static boolean isInRange(String text) {
        var bytes = exact(text);
        return bytes.signum() > 0 && bytes.compareTo(BigDecimal.valueOf(BYTES_MAX)) <= 0;
    }

    static String malformed(String field, String text) {
        return field + ": " + SpecRule.shown(text) + MALFORMED;
    }

    static String outOfRange(String field, String text) {
        return field + ": " + text + OUT_OF_RANGE;
    }

    private static BigDecimal exact(String text) {
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        var number = new BigDecimal(text.substring(0, digits));
        var suffix = text.substring(digits);
        var factor = FACTORS.get(suffix);
        return number.multiply(factor != null ? factor : BigDecimal.TEN.pow(Integer.parseInt(suffix.substring(1))));
    }

    private static BigDecimal binary(int power) {
        return BigDecimal.valueOf(1024).pow(power);
    }
}
