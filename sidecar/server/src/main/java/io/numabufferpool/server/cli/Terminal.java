package io.numabufferpool.server.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What stands behind one of this process's standard streams.
 *
 * @param interactive true: a person's terminal, so bars, colours and text logs are welcome
 * @param columns its width; {@link #COLUMNS_DEFAULT} where nobody knows
 */
public record Terminal(boolean interactive, int columns) {
    /** What terminals have had since the VT100, and what a file is rendered for. */
    public static final int COLUMNS_DEFAULT = 80;

    /** Narrower than this, tables would lose their numbers; wider, a bar says no more. */
    private static final int COLUMNS_MIN = 60;

    private static final int COLUMNS_MAX = 160;

    /** stty answers at once, or there is something wrong with the terminal. */
    private static final long STTY_SECONDS_MAX = 1;

    /** Of descriptor 1 (output) or 2 (log). */
    public static Terminal of(int descriptor) {
        boolean interactive = isTerminal(descriptor);
        return new Terminal(interactive, columns(interactive));
    }

    private static boolean isTerminal(int descriptor) {
        try {
            var name = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty") || name.equals("/dev/console");
        } catch (IOException closedDescriptor) {
            return false;
        }
    }

    private static int columns(boolean interactive) {
        var given = System.getenv("COLUMNS");
        if (given != null && given.matches("[1-9][0-9]{0,3}")) {
            return clamp(Integer.parseInt(given));
        }
        return interactive ? clamp(askStty()) : COLUMNS_DEFAULT;
    }

    private static int clamp(int columns) {
        return Math.clamp(columns, COLUMNS_MIN, COLUMNS_MAX);
    }

    private static int askStty() {
        try {
            var stty = new ProcessBuilder("stty", "size")
                    .redirectInput(Path.of("/dev/tty").toFile())
                    .redirectErrorStream(true)
                    .start();
            if (!stty.waitFor(STTY_SECONDS_MAX, TimeUnit.SECONDS)) {
                stty.destroyForcibly();
                return COLUMNS_DEFAULT;
            }
            var words = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split(" ", -1);
            boolean answered = words.length == 2 && words[1].matches("[1-9][0-9]{0,3}");
            return answered ? Integer.parseInt(words[1]) : COLUMNS_DEFAULT;
        } catch (IOException noStty) {
            return COLUMNS_DEFAULT;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return COLUMNS_DEFAULT;
        }
    }
}
