package io.numabufferpool.server.cli;

import java.util.ArrayList;
import java.util.List;

/** A sentence over several lines; all but the first are indented. */
final class Paragraph {
    private static final String INDENT = "  ";

    private Paragraph() {}

    /** Breaks at spaces; a word longer than the width stays whole. */
    static List<String> wrap(String text, int columns) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (var word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > columns) {
                lines.add(line.toString());
                line.setLength(0);
                line.append(INDENT).append(word);
                continue;
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
