package io.numabufferpool.crds;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The rules on {@code spec.size} and {@code spec.maxSize}. Each field has one rule with several sentences, of which the first
 * that applies is given.
 */
final class SizeRules {
    /*
     * The API server estimates what a rule costs before it accepts a definition, and takes a field that may be a number or a
     * text for one of 3 MB whatever its maxLength. Every regular expression on it takes half of what one rule may cost, so each
     * rule has one, and quantities are compared without.
     */
    private static final String PAGE = "(self.hugePages.size == '1Gi' ? 1073741824 : 2097152)";

    private SizeRules() {}

    /** Well-formed, in range and a multiple of the huge page size. */
    static SpecRule sound(String field) {
        var text = "string(self." + field + ")";
        var quantity = "quantity(" + text + ")";
        var wellFormed = text + ".matches('" + Quantity.PATTERN + "')";
        var inRange = quantity + ".isGreaterThan(quantity('0')) && !" + quantity + ".isGreaterThan(quantity('"
                + Quantity.BYTES_MAX_TEXT + "'))";
        var multiple = quantity + ".asInteger() % " + PAGE + " == 0";
        return new SpecRule(
                "!has(self." + field + ") || (" + wellFormed + " && " + inRange + " && " + multiple + ")",
                "'spec." + field + ": ' + " + SpecRule.shownCel(text) + " + (!" + wellFormed + " ? '"
                        + Quantity.MALFORMED + "' : !(" + inRange + ") ? '" + Quantity.OUT_OF_RANGE + "' : "
                        + notMultipleCel(quantity) + ")",
                spec -> {
                    var written = field.equals("size") ? spec.size() : spec.maxSize();
                    return written == null
                            ? null
                            : problem("spec." + field, written, spec.hugePages().size());
                });
    }

    private static String notMultipleCel(String quantity) {
        var pages = "(" + quantity + ".asInteger() / " + PAGE + ")";
        var perPage = "(self.hugePages.size == '1Gi' ? 1 : 2)";
        var suffix = "(self.hugePages.size == '1Gi' ? 'Gi' : 'Mi')";
        var lower = "string(dyn(" + pages + " * " + perPage + ")) + " + suffix;
        var upper = "string(dyn((" + pages + " + 1) * " + perPage + ")) + " + suffix;
        return "' is not a multiple of hugePages.size ' + self.hugePages.size + '; use ' + (" + pages + " > 0 ? "
                + lower + " + ' or ' : '') + " + upper + " + '.'";
    }

    private static @Nullable String problem(String field, String written, HugePageUnit unit) {
        if (!Quantity.isWellFormed(written)) {
            return Quantity.malformed(field, written);
        }
        var bytes = Quantity.tryParse(written);
        if (bytes.isEmpty()) {
            return Quantity.outOfRange(field, written);
        }
        return bytes.getAsLong() % unit.bytes() == 0
                ? null
                : field + ": " + written + notMultiple(bytes.getAsLong() / unit.bytes(), unit);
    }

    private static String notMultiple(long lower, HugePageUnit unit) {
        long inUnit = unit == HugePageUnit.GI_1 ? 1 : 2;
        var suffix = unit == HugePageUnit.GI_1 ? "Gi" : "Mi";
        return " is not a multiple of hugePages.size " + unit + "; use "
                + (lower > 0 ? lower * inUnit + suffix + " or " : "") + (lower + 1) * inUnit + suffix + ".";
    }

    static SpecRule maxSizeAtLeastSize() {
        var size = "string(self.size)";
        var maxSize = "string(self.maxSize)";
        var comparable = "has(self.size) && has(self.maxSize) && isQuantity(" + size + ") && isQuantity(" + maxSize
                + ") && quantity(" + size + ").isInteger() && quantity(" + maxSize + ").isInteger() && quantity("
                + maxSize
                + ").isGreaterThan(quantity('0'))";
        return new SpecRule(
                "!(" + comparable + ") || !quantity(" + maxSize + ").isLessThan(quantity(" + size + "))",
                "'spec.maxSize: ' + " + maxSize + " + ' is less than spec.size ' + " + size + " + '; use ' + " + size
                        + " + ' or more, or remove it.'",
                spec -> {
                    var bytes = parsed(spec.size());
                    var maxBytes = parsed(spec.maxSize());
                    if (bytes.isEmpty() || maxBytes.isEmpty() || maxBytes.getAsLong() >= bytes.getAsLong()) {
                        return null;
                    }
                    return "spec.maxSize: " + spec.maxSize() + " is less than spec.size " + spec.size() + "; use "
                            + spec.size() + " or more, or remove it.";
                });
    }

    private static OptionalLong parsed(@Nullable String written) {
        return written == null ? OptionalLong.empty() : Quantity.tryParse(written);
    }
}
