package io.numabufferpool.placement;

import java.util.BitSet;
import java.util.StringJoiner;

/** The kernel's list format, {@code 0-1,3}: Documentation/admin-guide/kernel-parameters.rst, "cpu lists". */
final class KernelList {
    /** More than any kernel is built for (MAX_NUMNODES 1024, NR_CPUS 8192), so that a typing error cannot eat the memory. */
    static final int NUMBER_MAX = 65_535;

    private KernelList() {}

    static BitSet parse(String text) {
        var bits = new BitSet();
        var trimmed = text.strip();
        if (trimmed.isEmpty()) {
            return bits;
        }
        for (var part : trimmed.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = number(dash < 0 ? part : part.substring(0, dash), text);
            int last = dash < 0 ? first : number(part.substring(dash + 1), text);
            if (last < first) {
                throw malformed(text, "'" + part + "' runs backwards");
            }
            bits.set(first, last + 1);
        }
        return bits;
    }

    private static int number(String digits, String text) {
        if (digits.isEmpty() || digits.length() > 5 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw malformed(text, "'" + digits + "' is not a number of at most 5 digits");
        }
        int number = Integer.parseInt(digits);
        if (number > NUMBER_MAX) {
            throw malformed(text, number + " is more than " + NUMBER_MAX);
        }
        return number;
    }

    private static IllegalArgumentException malformed(String text, String what) {
        return new IllegalArgumentException("\"" + text + "\" is not a list such as \"0-1,3\": " + what);
    }

    static String render(BitSet bits) {
        var list = new StringJoiner(",");
        for (int first = bits.nextSetBit(0); first >= 0; ) {
            int end = bits.nextClearBit(first);
            list.add(end - first == 1 ? Integer.toString(first) : first + "-" + (end - 1));
            first = bits.nextSetBit(end);
        }
        return list.toString();
    }
}
