package io.numabufferpool.linux;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How one test of the numa lane ended, as a line of the guest's standard output: the only way out that every runner has.
 *
 * @param name class and method
 * @param message why, unless it passed
 */
record GuestResult(Status status, String name, String message) {
    enum Status {
        PASSED,
        FAILED,
        SKIPPED,
        /** The last line: all tests have been reported; the name is how many. */
        COMPLETE
    }

    private static final String MARK = "numa-lane";

    /** Anywhere in the line: the test before it may have printed without a line break. */
    private static final Pattern LINE =
            Pattern.compile(".*" + MARK + " (PASSED|FAILED|SKIPPED|COMPLETE) (\\S+) (\\S*)\\s*");

    String toLine() {
        return MARK + " " + status + " " + encode(name) + " " + encode(message);
    }

    static Optional<GuestResult> parse(String line) {
        var matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new GuestResult(
                        Status.valueOf(matcher.group(1)), decode(matcher.group(2)), decode(matcher.group(3))))
                : Optional.empty();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
