package io.numabufferpool.server.log;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes events as lines: a constant text that can be searched for, then what varies as key/value pairs. Thread-safe: a
 * line is written by one call to the stream.
 */
public final class Log {
    private final PrintStream target;
    private final LogFormat format;
    private final Clock clock;

    public Log(PrintStream target, LogFormat format, Clock clock) {
        this.target = target;
        this.format = format;
        this.clock = clock;
    }

    /** Something happened that belongs to the ordinary course. {@code keyValues} are a key, its value, a key, ... */
    public void info(String text, @Nullable Object... keyValues) {
        write("INFO", text, keyValues);
    }

    /** Something is not as asked for, and the program goes on. */
    public void warn(String text, @Nullable Object... keyValues) {
        write("WARN", text, keyValues);
    }

    /** The program cannot do what it is for. */
    public void error(String text, @Nullable Object... keyValues) {
        write("ERROR", text, keyValues);
    }

    /** A mistake in this program: with the stack, because nothing else would find it. */
    public void bug(String text, Throwable thrown) {
        var stack = new StringWriter();
        thrown.printStackTrace(new PrintWriter(stack, true));
        write("ERROR", text, "exception", thrown.toString(), "stack", stack.toString());
    }

    private void write(String level, String text, @Nullable Object... keyValues) {
        if (keyValues.length % 2 != 0) {
            throw new IllegalArgumentException("a key without a value in the log event \"" + text + "\"");
        }
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var line = format == LogFormat.JSON ? json(now, level, text, keyValues) : text(now, level, text, keyValues);
        target.println(line);
    }

    private static String json(Instant now, String level, String text, @Nullable Object... keyValues) {
        var line = new StringBuilder(200);
        line.append("{\"time\":\"")
                .append(now)
                .append("\",\"level\":\"")
                .append(level)
                .append('"');
        appendMember(line, "message", text);
        for (int i = 0; i < keyValues.length; i += 2) {
            appendMember(line, String.valueOf(keyValues[i]), keyValues[i + 1]);
        }
        return line.append('}').toString();
    }

    private static void appendMember(StringBuilder line, String key, @Nullable Object value) {
        line.append(",\"")
                .append(JsonStringEncoder.getInstance().quoteAsString(key))
                .append("\":");
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            line.append(value);
            return;
        }
        line.append('"')
                .append(JsonStringEncoder.getInstance().quoteAsString(value.toString()))
                .append('"');
    }

    private static String text(Instant now, String level, String text, @Nullable Object... keyValues) {
        var line = new StringBuilder(200);
        line.append(now)
                .append(' ')
                .append(level)
                .append(level.length() < 5 ? "  " : " ")
                .append(text);
        for (int i = 0; i < keyValues.length; i += 2) {
            line.append(i == 0 ? "  " : " ").append(keyValues[i]).append('=');
            appendText(line, String.valueOf(keyValues[i + 1]));
        }
        return line.toString();
    }

    private static void appendText(StringBuilder line, String value) {
        boolean plain = !value.isEmpty() && value.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=');
        if (plain) {
            line.append(value);
            return;
        }
        line.append('"')
                .append(value.replace("\"", "\\\"").replace("\n", "\n    "))
                .append('"');
    }
}
