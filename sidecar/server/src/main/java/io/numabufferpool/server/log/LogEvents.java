package io.numabufferpool.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One {@link System.Logger}. An event such as {@code "slots reaped client={0} slots={1}"} becomes the text {@code slots reaped}
 * and two key/values.
 */
final class LogEvents implements System.Logger {
    private static final Pattern KEY_VALUE = Pattern.compile(" (\\w+)=\\{(\\d+)}");

    /** Libraries of ours log at INFO what an administrator wants to know; others say there what they do all the time. */
    private static final String OURS = "io.numabufferpool.";

    private final String name;
    private final Supplier<Log> target;

    LogEvents(String name, Supplier<Log> target) {
        this.name = name;
        this.target = target;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(Level level) {
        var least = name.startsWith(OURS) ? Level.INFO : Level.WARNING;
        return level != Level.OFF && level.compareTo(least) >= 0;
    }

    @Override
    public void log(
            Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
        if (!isLoggable(level)) {
            return;
        }
        var text = String.valueOf(message);
        if (thrown != null) {
            target.get().bug(text, thrown);
            return;
        }
        write(level, text, List.of());
    }

    @Override
    public void log(
            Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
        if (!isLoggable(level)) {
            return;
        }
        var text = String.valueOf(format);
        var keyValues = new ArrayList<@Nullable Object>();
        var matcher = KEY_VALUE.matcher(text);
        while (matcher.find()) {
            int index = Integer.parseInt(matcher.group(2));
            keyValues.add(matcher.group(1));
            keyValues.add(index < parameters.length ? parameters[index] : null);
        }
        write(level, matcher.replaceAll(""), keyValues);
    }

    private void write(Level level, String text, List<@Nullable Object> keyValues) {
        var log = target.get();
        var pairs = keyValues.toArray();
        switch (level) {
            case ERROR -> log.error(text, pairs);
            case WARNING -> log.warn(text, pairs);
            default -> log.info(text, pairs);
        }
    }
}
