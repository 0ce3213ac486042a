package io.numabufferpool.crds;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The rules on {@code spec.size} and {@code spec.maxSize}. */
final class SizeRules {
    private static final String PAGE = "(self.hugePages.size == '1Gi' ? 1073741824 : 2097152)";

    private SizeRules() {}

    private static @Nullable String sizeText(NumaBufferPoolSpec spec, String field) {
        return field.equals("size") ? spec.size() : spec.maxSize();
    }

    private static String text(String field) {
        return "string(self." + field + ")";
    }

    private static String wellFormedCel(String field) {
        return text(field) + ".matches('" + Quantity.PATTERN + "')";
    }

    /** CEL that is true where the field is there, well-formed and in range; short-circuits, so nothing after it fails. */
    private static String soundCel(String field) {
        var quantity = "quantity(" + text(field) + ")";
        return "has(self." + field + ") && " + wellFormedCel(field) + " && " + quantity
                + ".isGreaterThan(quantity('0')) && !" + quantity + ".isGreaterThan(quantity('"
                + Quantity.BYTES_MAX_TEXT + "'))";
    }

    private static String bytes(String field) {
        return "quantity(" + text(field) + ").asInteger()";
    }

    private static OptionalLong sound(@Nullable String text) {
        return text == null ? OptionalLong.empty() : Quantity.tryParse(text);
    }

    static SpecRule wellFormed(String field) {
        return new SpecRule(
                "!has(self." + field + ") || " + wellFormedCel(field),
                "'spec." + field + ": ' + " + SpecRule.shownCel(text(field))
                        + " + ' is not a size; use a whole number with a suffix, such as 512Mi or 4Gi.'",
                spec -> {
                    var text = sizeText(spec, field);
                    return text == null || Quantity.isWellFormed(text)
                            ? null
                            : Quantity.malformed("spec." + field, text);
                });
    }

    static SpecRule inRange(String field) {
        return new SpecRule(
                "!has(self." + field + ") || !" + wellFormedCel(field) + " || (" + soundCel(field) + ")",
                "'spec." + field + ": ' + " + text(field) + " + ' is out of range; use more than 0 and at most "
                        + Quantity.BYTES_MAX_TEXT + ".'",
                spec -> {
                    var text = sizeText(spec, field);
                    if (text == null || !Quantity.isWellFormed(text) || Quantity.isInRange(text)) {
                        return null;
                    }
                    return Quantity.outOfRange("spec." + field, text);
                });
    }

    static SpecRule multiple(String field) {
        var pages = "(" + bytes(field) + " / " + PAGE + ")";
        var perPage = "(self.hugePages.size == '1Gi' ? 1 : 2)";
        var suffix = "(self.hugePages.size == '1Gi' ? 'Gi' : 'Mi')";
        var lower = "string(dyn(" + pages + " * " + perPage + ")) + " + suffix;
        var upper = "string(dyn((" + pages + " + 1) * " + perPage + ")) + " + suffix;
        return new SpecRule(
                "!(" + soundCel(field) + ") || " + bytes(field) + " % " + PAGE + " == 0",
                "'spec." + field + ": ' + " + text(field)
                        + " + ' is not a multiple of hugePages.size ' + self.hugePages.size" + " + '; use ' + (" + pages
                        + " > 0 ? " + lower + " + ' or ' : '') + " + upper + " + '.'",
                spec -> {
                    var bytes = sound(sizeText(spec, field));
                    var unit = spec.hugePages().size();
                    return bytes.isEmpty() || bytes.getAsLong() % unit.bytes() == 0
                            ? null
                            : notMultiple("spec." + field + ": " + sizeText(spec, field), bytes.getAsLong(), unit);
                });
    }

    private static String notMultiple(String fieldAndText, long bytes, HugePageUnit unit) {
        long lower = bytes / unit.bytes();
        long inUnit = unit == HugePageUnit.GI_1 ? 1 : 2;
        var suffix = unit == HugePageUnit.GI_1 ? "Gi" : "Mi";
        return fieldAndText + " is not a multiple of hugePages.size " + unit + "; use "
                + (lower > 0 ? lower * inUnit + suffix + " or " : "") + (lower + 1) * inUnit + suffix + ".";
    }

    static SpecRule maxSizeAtLeastSize() {
        return new SpecRule(
                "!(" + soundCel("size") + ") || !(" + soundCel("maxSize") + ") || " + bytes("maxSize") + " >= "
                        + bytes("size"),
                "'spec.maxSize: ' + " + text("maxSize") + " + ' is less than spec.size ' + " + text("size")
                        + " + '; use ' + " + text("size") + " + ' or more, or remove it.'",
                spec -> {
                    var bytes = sound(spec.size());
                    var maxBytes = sound(spec.maxSize());
                    if (bytes.isEmpty() || maxBytes.isEmpty() || maxBytes.getAsLong() >= bytes.getAsLong()) {
                        return null;
                    }
                    return "spec.maxSize: " + spec.maxSize() + " is less than spec.size " + spec.size() + "; use "
                            + spec.size() + " or more, or remove it.";
                });
    }
}
